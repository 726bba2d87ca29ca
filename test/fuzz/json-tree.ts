import fc from 'fast-check';
import { HOSTILE_JSON, HOSTILE_NAMES } from './hostile-json.ts';

/** A JSON text: members are ordered, names may repeat, and a leaf is any JSON text. */
type Tree = { members: readonly Member[] } | { items: readonly Tree[] } | { json: string };
type Member = readonly [name: string, value: Tree];

type Change = (node: Tree) => Tree;

function toTree(value: unknown): Tree {
  if (Array.isArray(value)) return { items: value.map(toTree) };
  if (typeof value !== 'object' || value === null) return { json: JSON.stringify(value) };
  return { members: Object.entries(value).map(([name, member]): Member => [name, toTree(member)]) };
}

function write(tree: Tree): string {
  if ('json' in tree) return tree.json;
  if ('items' in tree) return `[${tree.items.map(write).join(',')}]`;
  return `{${tree.members.map(([name, value]) => `${JSON.stringify(name)}:${write(value)}`).join(',')}}`;
}

function nodesOf(tree: Tree): Tree[] {
  if ('json' in tree) return [tree];
  const children = 'items' in tree ? tree.items : tree.members.map(([, value]) => value);
  return [tree, ...children.flatMap(nodesOf)];
}

function replace(tree: Tree, node: Tree, change: Change): Tree {
  if (tree === node) return change(tree);
  if ('json' in tree) return tree;
  if ('items' in tree) return { items: tree.items.map((item) => replace(item, node, change)) };
  return { members: tree.members.map(([name, value]): Member => [name, replace(value, node, change)]) };
}

/** Changes one member of an object; replaces any other value by the hostile one. */
const changeMember =
  (index: number, hostile: Tree, change: (member: Member) => readonly Member[]): Change =>
  (node) =>
    'members' in node && node.members.length > 0
      ? {
          members: node.members.flatMap((member, index) =>
            index === index % node.members.length ? change(member) : [member],
          ),
        }
      : hostile;

type Mutation = (tree: Tree) => Tree;

const hostile: fc.Arbitrary<Tree> = fc
  .oneof(...HOSTILE_JSON.map(({ weight, texts }) => ({ weight, arbitrary: fc.constantFrom(...texts) })))
  .map((json) => ({ json }));
const hostileName = fc.constantFrom(...HOSTILE_NAMES);
/** An index into the nodes in document order; the first ones belong to the JSON-RPC envelope. */
const position = fc.oneof(fc.nat({ max: 6 }), fc.nat({ max: 60 }));

const change = fc
  .tuple(hostile, hostileName, position)
  .chain(([value, name, index]): fc.Arbitrary<Change> => {
    const changes: readonly [weight: number, change: Change][] = [
      [8, () => value],
      [1, (node) => ({ items: [node] })],
      [1, (node) => ({ members: [[name, node]] })],
      [1, changeMember(index, value, () => [])],
      [2, changeMember(index, value, (member) => [member, [member[0], value]])],
      [1, changeMember(index, value, (member) => [[member[0], value], member])],
      [1, changeMember(index, value, ([, value]) => [[name, value]])],
      [2, changeMember(index, value, (member) => [member, [name, value]])],
    ];
    return fc.oneof(...changes.map(([weight, one]) => ({ weight, arbitrary: fc.constant(one) })));
  });

const nodeChange: fc.Arbitrary<Mutation> = fc.tuple(position, change).map(
  ([index, change]): Mutation =>
    (tree) => {
      const nodes = nodesOf(tree);
      return replace(tree, nodes[index % nodes.length]!, change);
    },
);

/** Replaces one node by a copy of another. */
const nodeCopy: fc.Arbitrary<Mutation> = fc.tuple(position, position).map(
  ([from, to]): Mutation =>
    (tree) => {
      const nodes = nodesOf(tree);
      return replace(tree, nodes[to % nodes.length]!, () => nodes[from % nodes.length]!);
    },
);

const mutation = fc.oneof({ weight: 9, arbitrary: nodeChange }, { weight: 1, arbitrary: nodeCopy });

/** JSON texts with one to three fields, at any depth, replaced, duplicated, renamed, removed or wrapped. */
export function mutatedFields(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(texts, fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([json, mutations]) =>
      write(mutations.reduce((tree: Tree, mutate) => mutate(tree), toTree(JSON.parse(json)))),
    );
}
