"""The command ``atc`` inside a Python process, so that passes run in the interpreter the user chose."""
