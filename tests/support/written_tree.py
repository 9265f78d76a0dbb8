"""The files that a program has written below a folder."""
import os


def tree(folder, whole=False):
    """Returns path -> the content of each file and the text of each link. whole: also the modification times in
    nanoseconds, and folders (None)."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in files + folders:
            path = os.path.join(root, name)
            at = os.path.relpath(path, folder)
            if os.path.islink(path):
                found[at] = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    content = file.read()
                found[at] = (content, os.stat(path).st_mtime_ns) if whole else content
            elif whole:
                found[at] = None
    return found
