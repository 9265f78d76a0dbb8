// What a page of cells can do beside its links and forms: names while one types, the cell under the pointer,
// and zoom by dragging. Each is a request to the page's own address, and the page is complete without it.
'use strict';
(() => {
  const kPause = 120, kNear = 14, kLeast = 8;  // milliseconds; pixels
  const field = document.querySelector('input[name=color]');
  const plots = document.querySelectorAll('svg[data-axes]');

  // Returns the page's address with other parameters, and without those that belong to one view of it.
  const address = (changes, without = []) => {
    const url = new URL(location.href);
    for (const name of ['page', ...without]) url.searchParams.delete(name);
    for (const [name, value] of Object.entries(changes)) url.searchParams.set(name, value);
    return url;
  };

  // Returns a function that asks after a pause; only the newest answer counts.
  const asker = take => {
    let timer = 0, newest = 0;
    return (url, ...rest) => {
      const number = ++newest;
      clearTimeout(timer);
      if (!url) return;
      timer = setTimeout(async () => {
        try {
          const answer = await fetch(url, {headers: {Accept: 'application/json'}});
          const found = answer.ok ? await answer.json() : null;
          if (number === newest && found) take(found, ...rest);
        } catch (error) {
          // The server has ended; the page stays as it is.
        }
      }, kPause);
    };
  };

  if (field) {
    let list = field.list;
    if (!list) {
      list = document.createElement('datalist');
      list.id = 'list-color';
      field.after(list);
      field.setAttribute('list', list.id);
    }
    const ask = asker((names, before) => list.replaceChildren(...names.map(name => {
      const option = document.createElement('option');
      option.value = before + name;
      return option;
    })));
    field.addEventListener('input', () => {
      const [, before, word] = /^(.*[,;]\s*)?(.*)$/s.exec(field.value);
      ask(word ? address({names: word.slice(0, 100)}) : null, before || '');
    });
  }

  for (const plot of plots) {
    const [left, top, width, height, x0, x1, y0, y1] = plot.dataset.axes.split(' ').map(Number);
    const figure = plot.closest('figure') || plot.parentElement;
    let tip = null, start = null, box = null;

    const place = event => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
      return {
        px: Math.min(Math.max(at.x, left), left + width),
        py: Math.min(Math.max(at.y, top), top + height)
      };
    };
    const data = ({px, py}) => [x0 + (px - left) / width * (x1 - x0), y1 - (py - top) / height * (y1 - y0)];

    const hide = () => {
      if (tip) tip.hidden = true;
    };
    const ask = asker((cell, from) => {
      hide();
      if (cell.cell === undefined) return;
      const px = left + (cell.x - x0) / (x1 - x0) * width, py = top + (y1 - cell.y) / (y1 - y0) * height;
      if (Math.hypot(px - from.px, py - from.py) > kNear) return;
      if (!tip) {
        tip = document.createElement('p');
        tip.className = 'tip';
        tip.setAttribute('role', 'status');
        figure.append(tip);
      }
      tip.textContent = cell.cell + (cell.of === undefined ? '' : ` · ${cell.of}: ${cell.value}`);
      const around = figure.getBoundingClientRect();
      const at = new DOMPoint(px, py).matrixTransform(plot.getScreenCTM());
      tip.hidden = false;
      tip.style.left = `${Math.min(at.x - around.left + 10, around.width - tip.offsetWidth)}px`;
      tip.style.top = `${at.y - around.top + 10}px`;
    });

    const end = () => {
      if (box) box.remove();
      start = box = null;
    };
    plot.addEventListener('pointerdown', event => {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      start = place(event);
      plot.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    plot.addEventListener('pointermove', event => {
      const at = place(event);
      if (!start) return ask(address({near: data(at).join(',')}), at);
      ask(null);
      hide();
      if (!box) {
        box = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
        box.setAttribute('class', 'drag');
        plot.append(box);
      }
      box.setAttribute('x', Math.min(at.px, start.px));
      box.setAttribute('y', Math.min(at.py, start.py));
      box.setAttribute('width', Math.abs(at.px - start.px));
      box.setAttribute('height', Math.abs(at.py - start.py));
    });
    plot.addEventListener('pointerup', event => {
      const at = place(event), from = start;
      end();
      if (!from || Math.abs(at.px - from.px) < kLeast || Math.abs(at.py - from.py) < kLeast) return;
      const [ax, ay] = data(from), [bx, by] = data(at);
      const region = [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
      location.assign(address({region: region.map(number => Number(number.toPrecision(6))).join(',')}));
    });
    plot.addEventListener('pointercancel', end);
    plot.addEventListener('pointerleave', () => {
      ask(null);
      hide();
    });
    document.addEventListener('keydown', event => {
      if (event.key === 'Escape') {
        end();
        hide();
      }
    });
  }
})();
