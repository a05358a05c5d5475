"""Where custom operators are looked for, and what is left of a plugin that fails or is unloaded."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import sys

import pytest
from ge._internal.errors import describe_exception
from ge.custom_op import bootstrap, proto, registry
from ge.onnx_plugin import bootstrap as onnx_bootstrap
from ge.onnx_plugin import registry as onnx_registry
from ge.passes import bootstrap as pass_bootstrap
from ge.passes import registry as pass_registry

IMPL = """
from ge.custom_op import register_op_impl

@register_op_impl(op_type="{0}")
class {0}:
    def execute(self, ctx): ...
"""
PROTO = """
from ge.custom_op import register_op
from ge.runtime import TensorDesc

@register_op(op_type="{0}")
def {0}_proto(x: TensorDesc) -> TensorDesc: ...
"""
ONNX = """
from ge.onnx_plugin import onnx_plugin

@onnx_plugin(source="{0}", domain="ai.onnx", opsets=[11], target="{0}").parse_node
def {0}_parse(node, target): ...
"""
PASS = """
from ge.passes import FusionBasePass, PassStage, register_fusion_pass

@register_fusion_pass(name="{0}Pass", stage=PassStage.BEFORE_INFER_SHAPE)
class {0}Pass(FusionBasePass):
    def run(self, graph, context): ...
"""


@pytest.fixture(autouse=True)
def clean(ops, registry, monkeypatch, tmp_path):
    monkeypatch.delenv("ASCEND_GE_PY_PASS_PATH", raising=False)
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules), list(sys.path)
    yield
    pass_bootstrap.unload_pass_plugins()
    assert sys.path == before[1]
    for name in set(sys.modules) - before[0]:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def write(tmp_path):
    """write(name=text, ...) writes files below the temporary folder; "__" in a name is a "/"."""

    def files(**texts):
        for name, text in texts.items():
            path = tmp_path.joinpath(*name.split("__")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return files


def package(folder, name, text):
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text(text)
    return folder / name


def load(monkeypatch, *paths):
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", os.pathsep.join(map(str, paths)))
    return bootstrap.load_custom_op_plugins()


def impls():
    return [d["op_type"] for d in bootstrap.get_registered_op_impls()]


def protos():
    return [d["op_type"] for d in bootstrap.get_registered_op_protos()]


def onnx_sources():
    return [d.source for d in onnx_registry.get_registered_onnx_plugins()]


def passes():
    return [d.pass_name for d in pass_registry.get_registered_passes()]


# ---- where ---------------------------------------------------------------------------------------


def test_the_variable_has_the_name_that_operator_packages_use():
    assert bootstrap.ENV_PY_CUSTOM_OP_PATH == "ASCEND_CUSTOM_OPP_PATH" == onnx_bootstrap.ENV_PY_ONNX_PLUGIN_PATH


@pytest.mark.parametrize("value", [None, "", "  ", ": :"])
def test_nothing_is_loaded_where_nothing_is_named(monkeypatch, value):
    if value is not None:
        monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", value)
    assert bootstrap.load_custom_op_plugins() == []


def test_a_file_is_imported(monkeypatch, write):
    write(first=IMPL.format("First") + PROTO.format("First"))
    (module,) = load(monkeypatch, " first.py ")
    assert module.__name__.startswith("_ge_py_custom_op_first_") and sys.modules[module.__name__] is module
    assert impls() == protos() == ["First"]
    assert bootstrap.get_registered_op_impls() == registry.get_registered_op_impl_dicts()


def test_descriptor_keys_are_the_same_in_every_process(monkeypatch, write):
    folder = write(first=IMPL.format("First"))
    load(monkeypatch, "first.py")
    digest = hashlib.sha256(str(folder.resolve() / "first.py").encode()).hexdigest()[:16]
    assert registry.get_registered_op_impls()[0].descriptor_key == f"_ge_py_custom_op_first_{digest}:First:First"


def test_of_a_folder_the_files_and_packages_are_imported_by_name(monkeypatch, write):
    folder = write(
        lib__b=IMPL.format("B"),
        lib___hidden=IMPL.format("Hidden"),
        lib__plain__c=IMPL.format("NotAPackage"),
        lib__pack__sub__d=IMPL.format("NotReached"),
    )
    package(folder / "lib", "a_pack", IMPL.format("A"))
    package(folder / "lib", "_private", IMPL.format("Private"))
    (folder / "lib" / ".hid.py").write_text(IMPL.format("Hid"))
    (folder / "lib" / ".py").write_text("raise AssertionError('no module')")
    (folder / "lib" / "notes.txt").write_text("no Python")
    modules = load(monkeypatch, "lib")
    assert impls() == ["Hid", "A", "B"]
    assert [os.path.basename(m.__file__) for m in modules] == [".hid.py", "__init__.py", "b.py"]
    assert modules[1].__name__ == "a_pack"
    assert str(folder / "lib") not in sys.path


def test_files_of_a_folder_may_import_each_other(monkeypatch, write):
    write(lib___common="FACTOR = 3\n", lib__op="from _common import FACTOR\n" + IMPL.format("Op"))
    load(monkeypatch, "lib")
    assert impls() == ["Op"] and "_common" in sys.modules
    bootstrap.unload_custom_op_plugins()
    assert "_common" not in sys.modules


def test_what_is_named_twice_is_imported_once(monkeypatch, write):
    folder = write(lib__op=IMPL.format("Op"))
    package(folder / "lib", "pack", IMPL.format("Pack"))
    (folder / "alias.py").symlink_to(folder / "lib" / "op.py")
    (folder / "other").mkdir()
    (folder / "other" / "alias_pack").symlink_to(folder / "lib" / "pack", target_is_directory=True)
    (folder / "lib2").symlink_to(folder / "lib", target_is_directory=True)
    modules = load(monkeypatch, "lib/op.py", "alias.py", "lib", "lib2", "other", "lib/op.py")
    assert len(modules) == 2 and impls() == ["Op", "Pack"]
    assert bootstrap.load_custom_op_plugins() == modules


def test_a_path_that_is_not_there_is_refused(monkeypatch, write):
    write(first=IMPL.format("First"))
    with pytest.raises(FileNotFoundError, match="python custom op path does not exist: 'gone.py'.*ASCEND_CUSTOM_OPP_PATH"):
        load(monkeypatch, "first.py", "gone.py")
    with pytest.raises(FileNotFoundError, match="python custom op path does not exist: 'folder'"):
        load(monkeypatch, "folder")
    with pytest.raises(FileNotFoundError, match="python ONNX Plugin path does not exist: 'folder'"):
        onnx_bootstrap.load_onnx_plugins()


def test_a_file_of_another_kind_is_refused(monkeypatch, tmp_path):
    (tmp_path / "lib.so").write_text("")
    with pytest.raises(ValueError, match="python custom op path is no .py file: 'lib.so'"):
        load(monkeypatch, "lib.so")


def test_a_package_whose_name_is_taken_is_refused(monkeypatch, write):
    folder = write()
    package(folder / "lib", "json", IMPL.format("Json"))
    with pytest.raises(ImportError, match="package 'json' of .*belongs to.*rename one"):
        load(monkeypatch, "lib")
    assert sys.modules["json"] is json and impls() == []


# ---- failures ------------------------------------------------------------------------------------

FAIL = "\nraise OSError('no device')\n"


def test_nothing_is_left_of_a_file_that_fails(monkeypatch, write):
    folder = write(good=IMPL.format("Good"), bad=IMPL.format("Bad") + PROTO.format("Bad") + ONNX.format("Bad") + FAIL)
    before = set(sys.modules)
    with pytest.raises(OSError, match="no device"):
        load(monkeypatch, "good.py", "bad.py")
    assert impls() == ["Good"] and protos() == onnx_sources() == []
    assert not [name for name in set(sys.modules) - before if "bad" in name]
    # So it can be loaded once it is mended.
    (folder / "bad.py").write_text(IMPL.format("Bad"))
    load(monkeypatch, "good.py", "bad.py")
    assert impls() == ["Good", "Bad"]


def test_nothing_is_left_of_a_package_that_fails(monkeypatch, write):
    folder = write()
    package(folder / "lib", "pack", "from pack import part\n" + IMPL.format("Pack") + FAIL)
    (folder / "lib" / "pack" / "part.py").write_text(IMPL.format("Part"))
    with pytest.raises(OSError, match="no device"):
        load(monkeypatch, "lib")
    assert impls() == []


def test_a_class_from_elsewhere_is_no_excuse(monkeypatch, write):
    """The module that registers is to blame, not the one that holds the class."""
    write(
        lib___classes="class Shared:\n    def execute(self, ctx): ...\n",
        lib__bad="from _classes import Shared\nfrom ge.custom_op import register_op_impl\n"
        "register_op_impl(op_type='Bad')(Shared)\n" + FAIL,
    )
    with pytest.raises(OSError):
        load(monkeypatch, "lib")
    assert impls() == []


def test_a_whole_module_that_a_failing_one_imported_keeps_its_operators(monkeypatch, write):
    folder = write(lib__bad="import good\n" + FAIL)
    package(folder / "lib", "good", IMPL.format("Good"))
    with pytest.raises(OSError):
        load(monkeypatch, "lib")
    assert impls() == ["Good"]
    bootstrap.unload_custom_op_plugins()
    assert impls() == [] and "good" not in sys.modules


def test_a_file_that_ends_the_process_leaves_nothing_either(monkeypatch, write):
    write(bad=IMPL.format("Bad") + "\nraise SystemExit(3)\n")
    with pytest.raises(SystemExit):
        load(monkeypatch, "bad.py")
    assert impls() == []


@pytest.mark.parametrize("call", ["load_custom_op_plugins", "unload_custom_op_plugins"])
def test_a_plugin_may_use_the_loader_while_it_is_imported(monkeypatch, write, call):
    write(
        lib__b=IMPL.format("B") + f"\nfrom ge.custom_op import bootstrap\nbootstrap.{call}()\n" + PROTO.format("B"),
        lib__a=IMPL.format("A"),
        lib__c=IMPL.format("C"),
    )
    for _ in range(2):
        load(monkeypatch, "lib")
        assert sorted(impls()) == (["A", "B", "C"] if call.startswith("load") else ["B", "C"]) and protos() == ["B"]
        bootstrap.unload_custom_op_plugins()
        assert impls() == protos() == []


# ---- unload and load -----------------------------------------------------------------------------


def test_after_an_unload_files_and_packages_are_executed_again(monkeypatch, write):
    folder = write(lib__op=IMPL.format("Op") + PROTO.format("Op"))
    package(folder / "lib", "pack", IMPL.format("Pack"))
    for _ in range(3):
        modules = load(monkeypatch, "lib")
        assert impls() == ["Op", "Pack"] and protos() == ["Op"]
        bootstrap.unload_custom_op_plugins()
        assert impls() == protos() == []
        assert not [m for m in modules if m.__name__ in sys.modules]
    (folder / "lib" / "op.py").write_text(IMPL.format("Edited"))
    load(monkeypatch, "lib")
    assert impls() == ["Edited", "Pack"]


def test_what_the_process_registered_itself_stays(ops, monkeypatch, write):
    write(plugin=IMPL.format("Plugin"))
    registry.register_op_impl(op_type="Own")(type("Own", (), {"execute": lambda self, ctx: None}))
    load(monkeypatch, "plugin.py")
    assert impls() == ["Own", "Plugin"]
    ops.reset()
    assert impls() == ["Own"]


def test_modules_that_were_cleared_are_loaded_again(ops, monkeypatch, write):
    write(op=IMPL.format("Op"))
    load(monkeypatch, "op.py")
    ops.clear_loaded_op_impl_modules()
    assert not [name for name in sys.modules if name.startswith("_ge_py_custom_op_")]
    load(monkeypatch, "op.py")
    assert impls() == ["Op"]


# ---- files of several kinds ----------------------------------------------------------------------

MIXED = IMPL.format("Mixed") + PROTO.format("Mixed") + ONNX.format("Mixed") + PASS.format("Mixed")


def test_a_file_of_several_kinds_is_imported_once(monkeypatch, write):
    write(mixed=MIXED)
    monkeypatch.setenv("ASCEND_GE_PY_PASS_PATH", "mixed.py")
    modules = load(monkeypatch, "mixed.py")
    assert onnx_bootstrap.load_onnx_plugins() == modules == pass_bootstrap.load_pass_plugins()
    assert (impls(), protos(), onnx_sources(), passes()) == (["Mixed"], ["Mixed"], ["Mixed"], ["MixedPass"])


def test_files_of_their_own_may_stand_beside_each_other(monkeypatch, write):
    write(lib__op=IMPL.format("Op"), lib__onnx=ONNX.format("Elu"))
    assert onnx_bootstrap.load_onnx_plugins() == []
    modules = load(monkeypatch, "lib")
    assert onnx_bootstrap.load_onnx_plugins() == modules and len(modules) == 2
    assert impls() == ["Op"] and onnx_sources() == ["Elu"]


def test_an_unload_of_one_kind_leaves_the_others(monkeypatch, write):
    write(mixed=MIXED)
    monkeypatch.setenv("ASCEND_GE_PY_PASS_PATH", "mixed.py")
    for _ in range(2):
        (module,) = load(monkeypatch, "mixed.py")
        onnx_bootstrap.load_onnx_plugins()
        pass_bootstrap.load_pass_plugins()
        cls = registry.get_registered_op_impls()[0].cls

        bootstrap.unload_custom_op_plugins()
        assert impls() == protos() == [] and onnx_sources() == ["Mixed"] and passes() == ["MixedPass"]
        for _ in range(2):
            assert bootstrap.load_custom_op_plugins() == [module]
        assert impls() == protos() == ["Mixed"] and registry.get_registered_op_impls()[0].cls is cls

        pass_bootstrap.unload_pass_plugins()
        onnx_bootstrap.unload_onnx_plugins()
        assert impls() == ["Mixed"] and onnx_sources() == passes() == [] and module.__name__ in sys.modules
        bootstrap.unload_custom_op_plugins()
        assert impls() == [] and module.__name__ not in sys.modules


def test_operators_of_a_pass_file_come_and_go_with_it(monkeypatch, write):
    write(mixed=MIXED)
    monkeypatch.setenv("ASCEND_GE_PY_PASS_PATH", "mixed.py")
    for _ in range(2):
        pass_bootstrap.load_pass_plugins()
        assert impls() == ["Mixed"] and passes() == ["MixedPass"]
        pass_bootstrap.unload_pass_plugins()
        assert impls() == protos() == onnx_sources() == passes() == []


def test_what_cannot_be_put_back_says_why_and_is_kept(monkeypatch, write):
    write(mixed=IMPL.format("First") + IMPL.format("Mixed") + ONNX.format("Mixed"))
    load(monkeypatch, "mixed.py")
    onnx_bootstrap.load_onnx_plugins()
    bootstrap.unload_custom_op_plugins()
    registry.register_op_impl(op_type="Mixed")(type("Thief", (), {"execute": lambda self, ctx: None}))
    with pytest.raises(ValueError, match="op impl type already exists.*Thief"):
        bootstrap.load_custom_op_plugins()
    assert impls() == ["Mixed"]
    registry.clear_registered_op_impls()
    bootstrap.load_custom_op_plugins()
    assert impls() == ["First", "Mixed"]


BOTH = IMPL.format("Both") + PROTO.format("Both") + ONNX.format("Both")


def imported(folder, name):
    """As `import name` does it, with the folder on the path."""
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


@pytest.mark.parametrize("first", ["imported", "named"])
def test_a_file_that_is_imported_and_named_is_one(first, monkeypatch, tmp_path, write):
    write(both_ways=BOTH)
    if first == "imported":
        module = imported(tmp_path, "both_ways")
        load(monkeypatch, "both_ways.py")
    else:
        (module,) = load(monkeypatch, "both_ways.py")
        imported(tmp_path, "both_ways")
    assert impls() == protos() == onnx_sources() == ["Both"]
    assert registry.get_registered_op_impls()[0].cls is module.Both
    assert proto.get_registered_op_protos()[0].infer_func is module.Both_proto
    assert sys.modules["both_ways"].Both.__ge_op_impl_descriptor__ is registry.get_registered_op_impls()[0]
    bootstrap.unload_custom_op_plugins()
    assert impls() == protos() == (["Both"] if first == "imported" else [])


@pytest.mark.parametrize("text, word", [(IMPL, "op impl type already exists"), (PROTO, "op type 'Both' already registered")])
def test_a_file_that_changes_between_import_and_load_is_told_from_where(text, word, monkeypatch, tmp_path, write):
    write(changing=text.format("Both"))
    imported(tmp_path, "changing")
    write(changing="\n\n" + text.format("Both"))
    with pytest.raises(ValueError, match=word) as caught:
        load(monkeypatch, "changing.py")
    lines = {int(line) for line in re.findall(re.escape(f"{tmp_path}/changing.py") + r":(\d+)'", str(caught.value))}
    assert len(lines) == 2 and max(lines) - min(lines) == 2
    assert "the file was executed twice, and is not what it was the first time; start a new process" in str(caught.value)


def test_two_files_with_one_operator_are_named_with_their_lines(monkeypatch, tmp_path, write):
    write(one=BOTH, two="\n" + BOTH)
    with pytest.raises(ValueError, match="remove one of the two") as caught:
        load(monkeypatch, "one.py", "two.py")
    assert f"'{tmp_path}/one.py:6'" in str(caught.value) and f"'{tmp_path}/two.py:7'" in str(caught.value)


def test_a_copy_of_a_file_is_another(monkeypatch, tmp_path, write):
    write(one=BOTH, copy=BOTH)
    with pytest.raises(ValueError, match="remove one of the two"):
        load(monkeypatch, "one.py", "copy.py")


def test_a_declaration_that_is_wrong_is_told_in_few_lines(monkeypatch, tmp_path, write):
    wrong = PROTO.replace("x: TensorDesc)", "x: TensorDesc, *, factor: float = 1)")
    write(wrong=wrong.format("Wrong"))
    with pytest.raises(TypeError) as caught:
        load(monkeypatch, "wrong.py")
    # As the bridge sees it: without the frames of this file.
    message, shown, _ = describe_exception(caught.value.with_traceback(caught.value.__traceback__.tb_next.tb_next))
    assert message == (
        "TypeError: register_op op_type 'Wrong' failed: default value for attr 'factor' must be exactly float, found 1; "
        f"function 'Wrong_proto' in '{tmp_path}/wrong.py:5'"
    )
    assert "wrong.py" in shown and "direct cause" not in shown and "_parse.py" not in shown
    assert shown.count("File ") == 2 and shown.strip().endswith(message)


def test_the_cause_of_a_user_s_own_error_is_shown(monkeypatch, write):
    text = "try:\n    {}['key']\nexcept KeyError as error:\n    raise ValueError('mine') from error\n"
    write(chained=text, handled=text.replace(" from error", ""))
    for path, link in ("chained.py", "direct cause"), ("handled.py", "During handling"):
        with pytest.raises(ValueError) as caught:
            load(monkeypatch, path)
        _, shown, _ = describe_exception(caught.value)
        assert link in shown and "KeyError: 'key'" in shown


def test_prototypes_alone_need_no_implementation(monkeypatch, write):
    write(op=PROTO.format("Op"))
    load(monkeypatch, "op.py")
    assert protos() == ["Op"] and impls() == []
    assert proto.get_registered_op_protos()[0].module_name.startswith("_ge_py_custom_op_op_")
