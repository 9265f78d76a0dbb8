"""The recipes of other package managers (scripts/packaging): each is filled in and parsed by what reads it, and names
what scripts/setup installs for a build. The workflows of GitHub, which nothing here runs."""
import ast
import glob
import os
import re
import subprocess
import tempfile
import unittest

from optional import SOURCE, missing_modules, missing_programs, needs, packages_of_part, skip_rest


def text_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


@unittest.skipUnless(os.path.exists(os.path.join(SOURCE, ".git")), "not a clone: git archive needs one")
@needs("git")
class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = temporary.name
        cls.run_checked(os.path.join(SOURCE, "scripts", "packaging", "fill"), cls.folder)
        cls.version = re.search(r"project\(plainfs VERSION ([\d.]+)", text_of(SOURCE, "CMakeLists.txt"))[1]

    @classmethod
    def run_checked(cls, *words, **environment):
        result = subprocess.run(
            words, capture_output=True, text=True, check=False, timeout=120, env={**os.environ, **environment}
        )
        if result.returncode != 0:
            raise AssertionError(f"{words}: {result.stdout}{result.stderr}")
        return result.stdout

    def recipe(self, *path):
        return os.path.join(self.folder, *path)

    def test_no_placeholder_is_left(self):
        for folder, _, names in os.walk(self.folder):
            for name in names:
                if not name.endswith(".tar.gz"):
                    self.assertNotRegex(text_of(folder, name), r"@[A-Z0-9_]+@", name)

    def test_recipes_name_the_version_and_the_archive(self):
        self.assertTrue(os.path.exists(self.recipe(f"plainfs-{self.version}.tar.gz")))
        digest = self.run_checked("sha256sum", self.recipe(f"plainfs-{self.version}.tar.gz")).split()[0]
        easybuild = f"easybuild/plainfs-{self.version}.eb"
        for path in ("conda/recipe.yaml", "spack/package.py", easybuild, "nix/package.nix"):
            self.assertIn(digest, text_of(self.recipe(path)), path)
            self.assertIn(self.version, text_of(self.recipe(path)), path)

    def test_the_place_of_the_sources_is_that_of_the_readme(self):
        url = re.search(r'set\(PLAINFS_URL "([^"]+)"', text_of(SOURCE, "fs", "install.cmake"))[1]
        self.assertIn(f"`git clone {url}`", text_of(SOURCE, "README.md"))
        self.assertIn(url, text_of(self.recipe("conda", "recipe.yaml")))

    def test_two_archives_of_a_commit_are_the_same(self):
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as again:
            self.run_checked(os.path.join(SOURCE, "scripts", "packaging", "fill"), again)
            self.run_checked("diff", "-r", self.folder, again)

    def test_debian_depends_on_the_packages_of_a_build(self):
        needed = packages_of_part("build") - {"g++", "make", "libboost-test-dev", "pkg-config", "fuse3"}
        words = re.split(r"[\s,|]+", text_of(self.recipe("debian", "control")))
        self.assertEqual(sorted(needed - set(words)), [])

    def test_python_parses_spack_and_easybuild(self):
        ast.parse(text_of(self.recipe("spack", "package.py")))
        values = {}
        exec(text_of(glob.glob(self.recipe("easybuild", "*.eb"))[0]), {"SYSTEM": "system"}, values)
        self.assertEqual((values["name"], values["version"]), ("plainfs", self.version))

    def test_yaml_is_parsed(self):
        skip_rest(self, missing_modules("yaml"))
        import yaml

        recipe = yaml.safe_load(text_of(self.recipe("conda", "recipe.yaml")))
        self.assertEqual(recipe["context"]["version"], self.version)
        self.assertIn("hdf5", recipe["requirements"]["host"])
        for name in ("meta.yml", "environment.yml"):
            self.assertTrue(yaml.safe_load(text_of(self.recipe("nf-core", "plainfs", "export", name))))

    def test_rpmbuild_parses_the_spec(self):
        skip_rest(self, missing_programs("rpmbuild"))
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as top:
            self.run_checked(
                *("rpmbuild", "--nobuild", "--nodeps", "--define", f"_topdir {top}", "--define"),
                *(f"_sourcedir {self.folder}", self.recipe("rpm", "plainfs.spec")),
            )

    def test_nix_parses_its_expression(self):
        skip_rest(self, missing_programs("nix-instantiate"))
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as state:
            self.run_checked("nix-instantiate", "--parse", self.recipe("nix", "package.nix"), NIX_STATE_DIR=state)

    def test_xmllint_parses_the_galaxy_tool(self):
        skip_rest(self, missing_programs("xmllint"))
        self.run_checked("xmllint", "--noout", self.recipe("galaxy", "plainfs_export.xml"))

    def test_lmod_loads_the_module(self):
        lmod = "/usr/share/lmod/lmod/libexec/lmod"
        skip_rest(self, missing_programs("lmod") if not os.path.exists(lmod) else "")
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as modules:
            os.symlink(self.recipe("module"), os.path.join(modules, "plainfs"))
            places = {"MODULEPATH": modules, "PLAINFS_PREFIX": "/apps/plainfs"}
            loaded = self.run_checked(lmod, "bash", "load", "plainfs", **places)
        self.assertRegex(loaded, rf"(?m)^PATH=/apps/plainfs/{re.escape(self.version)}/bin[:;]")


class Workflows(unittest.TestCase):
    def test_actions_are_fixed_by_hash_and_rights_are_named(self):
        for path in glob.glob(os.path.join(SOURCE, ".github", "workflows", "*.yml")):
            text = text_of(path)
            with self.subTest(path):
                self.assertRegex(text, r"(?m)^permissions:\n  contents: read\n")
                for used in re.findall(r"uses: (.*)", text):
                    self.assertRegex(used, r"^[\w/-]+@[0-9a-f]{40}  # v[\d.]+$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
