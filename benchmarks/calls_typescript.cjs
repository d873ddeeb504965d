// What the TypeScript checker says about each call in a folder of TypeScript and JavaScript.
//
// node calls_typescript.cjs TYPESCRIPT ROOT: TYPESCRIPT is the folder of the npm package. Prints a JSON line for
// each file, {"file": path}, and each call and `new` expression whose callee ends in a name:
// {"file", "offset", "class", "targets"}. The offset is that of the name, in bytes. The class is "inside" where
// the chosen signature, or what the callee names, is declared below the folder, "outside" where it is declared
// elsewhere, and "unknown" where the checker knows no signature or what is called has no name of its own, as a
// parameter. Each target is [path, byte offset of its name]; declarations of one symbol count as one another.
"use strict";
const fs = require("fs");
const path = require("path");
const ts = require(process.argv[2]);
const root = fs.realpathSync(process.argv[3]);
const EXTENSIONS = /\.([cm]?[jt]s|[jt]sx)$/;

function* sources(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules" && entry.name !== ".git") yield* sources(full);
    else if (entry.isFile() && EXTENSIONS.test(entry.name)) yield full;
  }
}

function configured() {
  const file = path.join(root, "tsconfig.json");
  if (!fs.existsSync(file)) return {};
  return ts.parseJsonConfigFileContent(ts.readConfigFile(file, ts.sys.readFile).config || {}, ts.sys, root).options;
}

const options = {
  ...configured(), allowJs: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.Preserve, moduleResolution: ts.ModuleResolutionKind.Bundler, jsx: ts.JsxEmit.Preserve,
  lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"], strict: true, allowImportingTsExtensions: true,
  maxNodeModuleJsDepth: 0, noImplicitAny: false, plugins: undefined, incremental: false, composite: false,
};
const files = [...sources(root)];
const program = ts.createProgram(files, options);
const checker = program.getTypeChecker();
const inside = (file) => file.startsWith(root + path.sep) && !file.includes("/node_modules/");
const relative = (file) => path.relative(root, file).split(path.sep).join("/");
const starts = new Map();

// A byte order mark is no part of the text, but of the file.
function byteOffset(source, position) {
  if (!starts.has(source)) starts.set(source, fs.readFileSync(source.fileName)[0] === 0xef ? 3 : 0);
  return starts.get(source) + Buffer.byteLength(source.text.slice(0, position));
}

const lastName = (node) =>
  ts.isPropertyAccessExpression(node) ? node.name : ts.isElementAccessExpression(node) ? node.argumentExpression : node;

// The name under which a declaration is known: a function value's is that of what holds it.
function nameOf(declaration) {
  let node = declaration;
  if (ts.isConstructorDeclaration(node) || ts.isConstructSignatureDeclaration(node)) return node.getFirstToken();
  if (node.name) return node.name;
  if (ts.isPropertyAccessExpression(node)) return node.name;
  if (ts.isBinaryExpression(node)) return lastName(node.left);
  while (node.parent && (ts.isParenthesizedExpression(node.parent) || ts.isAsExpression(node.parent) ||
    ts.isSatisfiesExpression(node.parent) || ts.isFunctionTypeNode(node.parent))) node = node.parent;
  const holder = node.parent;
  if (!holder) return undefined;
  if (ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder) || ts.isPropertyDeclaration(holder) ||
    ts.isPropertySignature(holder)) return holder.name;
  if (ts.isBinaryExpression(holder) && holder.right === node) return lastName(holder.left);
  if (ts.isExportAssignment(holder)) return holder.getChildren().find((c) => c.kind === ts.SyntaxKind.DefaultKeyword);
  return ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)
    ? (node.modifiers || []).find((m) => m.kind === ts.SyntaxKind.DefaultKeyword) : undefined;
}

const isLocal = (declaration) =>
  ts.isParameter(declaration) || ts.isBindingElement(declaration) ||
  (ts.isVariableDeclaration(declaration) && !isFunctionValue(declaration.initializer) && !isTopLevel(declaration));
const isFunctionValue = (node) => {
  while (node && (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)))
    node = node.expression;
  return node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isClassExpression(node));
};
const isTopLevel = (declaration) => {
  const statement = declaration.parent.parent;
  return ts.isVariableStatement(statement) && (ts.isSourceFile(statement.parent) || ts.isModuleBlock(statement.parent));
};
const isType = (declaration) => ts.isTypeAliasDeclaration(declaration) || ts.isInterfaceDeclaration(declaration) ||
  ts.isTypeParameterDeclaration(declaration) || ts.isImportSpecifier(declaration);

function unaliased(symbol) {
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function declarationsOf(symbol) {
  const found = [];
  for (const declaration of (symbol && symbol.declarations) || []) {
    found.push(declaration);
    if (ts.isClassLike(declaration))
      found.push(...declaration.members.filter((member) => ts.isConstructorDeclaration(member)));
    if (ts.isConstructorDeclaration(declaration) || ts.isConstructSignatureDeclaration(declaration))
      found.push(declaration.parent);
  }
  return found;
}

function judge(call, name) {
  const signature = checker.getResolvedSignature(call);
  const chosen = signature && signature.declaration;
  const called = declarationsOf(unaliased(checker.getSymbolAtLocation(name)));
  if (!chosen && !called.some(ts.isClassLike)) return { class: "unknown", targets: [] };
  const declared = chosen ? declarationsOf(chosen.symbol || checker.getSymbolAtLocation(chosen)) : [];
  const all = [...(chosen ? [chosen] : []), ...declared, ...called].filter((d) => !isType(d));
  const named = all.filter((d) => !isLocal(d) && !ts.isSourceFile(d) && nameOf(d));
  const targets = named.filter((d) => inside(d.getSourceFile().fileName)).map((d) => {
    const source = d.getSourceFile();
    return [relative(source.fileName), byteOffset(source, nameOf(d).getStart())];
  });
  if (targets.length) return { class: "inside", targets };
  const outside = all.length && all.every((d) => !inside(d.getSourceFile().fileName));
  return { class: outside ? "outside" : "unknown", targets: [] };
}

function visit(source, node) {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    let callee = node.expression;
    while (ts.isParenthesizedExpression(callee) || ts.isNonNullExpression(callee)) callee = callee.expression;
    const isImport = callee.kind === ts.SyntaxKind.ImportKeyword || callee.getText() === "require";
    if (!isImport && (ts.isIdentifier(callee) || ts.isPropertyAccessExpression(callee) || callee.kind === ts.SyntaxKind.SuperKeyword)) {
      const name = ts.isPropertyAccessExpression(callee) ? callee.name : callee;
      const line = { file: relative(source.fileName), offset: byteOffset(source, name.getStart()), ...judge(node, name) };
      process.stdout.write(JSON.stringify(line) + "\n");
    }
  }
  ts.forEachChild(node, (child) => visit(source, child));
}

for (const source of program.getSourceFiles()) {
  if (!inside(source.fileName)) continue;
  process.stdout.write(JSON.stringify({ file: relative(source.fileName) }) + "\n");
  visit(source, source);
}
