// What Netron's own readers make of model files, as JSON on one line for each: node netron_reader.mjs FOLDER FILE...
// FOLDER is that of the installed Python package netron, whose JavaScript runs here unchanged.

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , netron, ...files] = process.argv;

// Node takes .js files for modules only where a package.json says so; the package has none.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'netron-reader-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
for (const name of fs.readdirSync(netron).filter((n) => n.endsWith('.js') || n.endsWith('.json'))) {
    fs.copyFileSync(path.join(netron, name), path.join(folder, name));
}
fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
const module = (id) => import(pathToFileURL(path.join(folder, `${id.replace('./', '').replace(/\.js$/, '')}.js`)).href);

const base = await module('base');
const view = await module('view');
const problems = [];

// The part of a host that readers ask.
const host = {
    environment: () => null,
    require: module,
    asset: async (name) => fs.readFileSync(path.join(folder, name), 'utf-8'),
    event: () => {},
    exception: (error) => problems.push(error.message),
    error: (error) => problems.push(error.message),
};

const context = (file) => ({
    identifier: path.basename(file),
    stream: new base.BinaryStream(new Uint8Array(fs.readFileSync(file))),
    entries: new Map(),
    require: module,
    asset: host.asset,
    request: async (name) => { throw new Error(`'${name}' is not at hand`); },
    fetch: async (name) => { throw new Error(`'${name}' is not at hand`); },
    error: host.error,
});

// JSON has neither large integers nor infinities.
const plain = (key, value) => {
    if (typeof value === 'number' && !Number.isFinite(value)) {
        return String(value);
    }
    if (typeof value !== 'bigint') {
        return value;
    }
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
};

const typeOf = (type) => (type ? { dtype: type.dataType, shape: Array.from(type.shape?.dimensions ?? []) } : null);

const tensorOf = (tensor) => {
    const found = { ...typeOf(tensor.type), bytes: tensor.values ? tensor.values.length : 0 };
    const reader = new (view.Tensor || base.Tensor)(tensor);
    if (found.bytes > 0 && !reader.empty && reader.value !== undefined) {
        found.values = [reader.value].flat(Infinity).slice(0, 8);
    }
    return found;
};

const valueOf = (value) => {
    if (value === null || value === undefined || typeof value !== 'object') {
        return value;
    }
    if (ArrayBuffer.isView(value)) {
        return Array.from(value);
    }
    if (Array.isArray(value)) {
        return value.map(valueOf);
    }
    if (value.type && 'values' in value) {
        return { tensor: tensorOf(value) };
    }
    return Array.isArray(value.nodes) ? { graph: graphOf(value) } : { other: Object.keys(value) };
};

const ports = (list) => (list ?? []).map((port) => (Array.isArray(port.value) ? port.value : []).filter(Boolean).map((value) => ({
    name: value.name,
    type: typeOf(value.type),
    ...(value.initializer ? { initializer: tensorOf(value.initializer) } : {}),
})));

const graphOf = (graph) => ({
    name: graph.name ?? '',
    nodes: (graph.nodes ?? []).map((node) => ({
        name: node.name ?? '',
        type: node.type?.name ?? '',
        inputs: ports(node.inputs),
        outputs: ports(node.outputs),
        attributes: Object.fromEntries((node.attributes ?? []).map((a) => [a.name, valueOf(a.value)])),
    })),
});

for (const file of files) {
    problems.length = 0;
    let found;
    try {
        const model = await new view.ModelFactoryService(host).open(context(file));
        found = { format: model.format, graphs: (model.modules ?? []).map(graphOf) };
    } catch (error) {
        found = { error: error.message };
    }
    console.log(JSON.stringify({ ...found, problems }, plain));
}
