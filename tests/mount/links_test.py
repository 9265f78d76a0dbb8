#!/usr/bin/env python3
"""Follows links and references of an NWB file in Zarr on a mount, with readlink, cat and cut alone."""
import os
import subprocess

from mounted import DATA, Folder, Mount, main

NWB = os.path.join(DATA, "hdmf-zarr", "ecephys_pickle", "store.zarr")


def shell(command, folder):
    result = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return result.stdout


class Nwb(Folder):
    def test_from_a_link_through_a_reference_to_its_target(self):
        with Mount(NWB) as mount:
            electrodes = "general/extracellular_ephys/electrodes"
            group = shell(f"head -n 1 {electrodes}/group.csv", mount.path).strip()
            name = shell(f"head -n 1 {electrodes}/group_name.csv", mount.path).strip()
            self.assertEqual(os.path.basename(group), name)
            device = shell(f"readlink .{group}/device", mount.path).strip()
            self.assertIn("description", shell(f"cat .{group}/{device}/.attrs.json", mount.path))

    def test_from_a_linked_series_to_its_data(self):
        with Mount(NWB) as mount:
            target = shell("readlink acquisition/ts2/data.csv", mount.path).strip()
            data = shell(f"cut -d, -f1 acquisition/ts2/{target}", mount.path)
            self.assertEqual(data, shell("cut -d, -f1 acquisition/ts1/data.csv", mount.path))


if __name__ == "__main__":
    main()
