#!/usr/bin/env python3
"""Put real exported ONNX models, as they ship inside PyPI packages, into a folder.

usage: fetch_real_models.py FOLDER

PP-OCRv4 text detection and recognition and the PP-OCR direction classifier come from rapidocr-onnxruntime, the file
type classifier from magika. What is in the folder already is not fetched again.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# package -> {file inside its wheel: name here}
SOURCES = {
    "rapidocr-onnxruntime==1.4.4": {
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx": "ppocr_v4_det.onnx",
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx": "ppocr_v4_rec.onnx",
        "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx": "ppocr_v2_cls.onnx",
    },
    "magika==1.0.3": {"magika/models/standard_v3_3/model.onnx": "magika.onnx"},
}


def download(package: str, folder: Path) -> Path:
    """The wheel of a package, without its dependencies."""
    # Only the files inside matter, so the wheel of any Python and platform will do.
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--ignore-requires-python",
        "-d",
        str(folder),
        package,
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        raise RuntimeError(f"fetching '{package}' with pip: expected a wheel, found none: {done.stdout.strip()}")
    return wheels[0]


def fetch(folder: Path) -> list[Path]:
    """All models as files in `folder`; raises if one cannot be had."""
    folder.mkdir(parents=True, exist_ok=True)
    for package, members in SOURCES.items():
        if all((folder / name).is_file() for name in members.values()):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            with zipfile.ZipFile(download(package, Path(scratch))) as wheel:
                for member, name in members.items():
                    if member not in wheel.namelist():
                        found = [n for n in wheel.namelist() if n.endswith(".onnx")]
                        raise RuntimeError(f"taking '{member}' out of '{package}': it is not there, only {found}")
                    partial = folder / (name + ".part")
                    partial.write_bytes(wheel.read(member))
                    partial.rename(folder / name)
    return [folder / name for members in SOURCES.values() for name in members.values()]


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    for model in fetch(Path(sys.argv[1])):
        print(model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
