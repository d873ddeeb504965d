// Definitions in TypeScript and JavaScript files as the TypeScript compiler parses them.
//
// node definitions_typescript.cjs TYPESCRIPT ROOT: TYPESCRIPT is the folder of the npm package. Prints a JSON
// line ["file", path] for each file that parses without an error and ["definition", path, group, name, line]
// for each definition. Function values are called what the variable, property or assignment that holds them
// is called. Local variables and parameters are left out, and so are properties of object types that neither
// an interface nor a type alias names.
"use strict";
const fs = require("fs");
const path = require("path");
const ts = require(process.argv[2]);
const root = process.argv[3];
const K = ts.SyntaxKind;
const EXTENSIONS = /\.([cm]?[jt]s|[jt]sx)$/;

function* sources(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules" && entry.name !== ".git") yield* sources(full);
    else if (entry.isFile() && EXTENSIONS.test(entry.name)) yield full;
  }
}

const isFunctionValue = (node) => ts.isArrowFunction(node) || ts.isFunctionExpression(node);
const isValue = (node) => isFunctionValue(node) || ts.isClassExpression(node);
const isWrapper = (node) =>
  ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isNonNullExpression(node);

function unwrap(node) {
  while (node && isWrapper(node)) node = node.expression;
  return node;
}

function isRequire(node) {
  if (node && ts.isPropertyAccessExpression(node)) node = node.expression;
  return (
    node && ts.isCallExpression(node) && node.expression.getText() === "require" &&
    node.arguments.length > 0 && ts.isStringLiteral(node.arguments[0])
  );
}

// Whether a variable statement stands in a module or namespace, not in a block or function.
function isTopLevel(declaration) {
  const list = declaration.parent;
  const statement = list.parent;
  return ts.isVariableStatement(statement) && (ts.isSourceFile(statement.parent) || ts.isModuleBlock(statement.parent));
}

// Whether a signature belongs to an interface or type alias, through object types only.
function isShape(node) {
  for (let up = node.parent; up; up = up.parent) {
    if (ts.isInterfaceDeclaration(up) || ts.isTypeAliasDeclaration(up)) return true;
    if (ts.isMethodSignature(up) || ts.isFunctionLike(up) && !ts.isFunctionTypeNode(up) && !ts.isConstructorTypeNode(up) &&
        !ts.isCallSignatureDeclaration(up) && !ts.isConstructSignatureDeclaration(up) && !ts.isIndexSignatureDeclaration(up)) return false;
    if (ts.isClassLike(up) || ts.isStatement(up) || ts.isExpression(up) && !ts.isExpressionWithTypeArguments(up)) return false;
  }
  return false;
}

function holder(value) {
  let up = value.parent;
  while (isWrapper(up)) up = up.parent;
  return up;
}

// The node that names a function or class expression, or null.
function nameOfValue(value) {
  const up = holder(value);
  if (ts.isVariableDeclaration(up) && ts.isIdentifier(up.name)) return up.name;
  if (ts.isPropertyAssignment(up) || ts.isPropertyDeclaration(up)) return up.name;
  if (ts.isBinaryExpression(up) && up.operatorToken.kind === K.EqualsToken && unwrap(up.right) === value) {
    if (ts.isIdentifier(up.left)) return up.left;
    if (up.left.getText() === "module.exports" && value.name) return value.name;
    if (ts.isPropertyAccessExpression(up.left)) return up.left.name;
  }
  return value.name || null;
}

function visit(source, report) {
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const text = (name) => (ts.isStringLiteralLike(name) ? name.getText().slice(1, -1) : name.getText());
  const define = (group, name) => report(group, text(name), lineOf(name.getStart()));
  const fieldsOfThis = new Set();

  function names(pattern) {
    if (ts.isIdentifier(pattern)) return [pattern];
    return pattern.elements.filter(ts.isBindingElement).flatMap((element) => names(element.name));
  }

  function defaultName(group, node) {
    const word = (node.modifiers || []).find((modifier) => modifier.kind === K.DefaultKeyword);
    if (word) report(group, "default", lineOf(word.getStart()));
    else report(group, "", lineOf(node.getStart()));
  }

  function value(node) {
    const group = ts.isClassExpression(node) ? "types" : "functions";
    const up = holder(node);
    const name = nameOfValue(node);
    if (name) define(group, name);
    else if (ts.isExportAssignment(up) && !up.isExportEquals) report(group, "default", lineOf(source.text.indexOf("default", up.getStart())));
    else report(group === "functions" ? "anonymous" : group, "", lineOf(node.getStart()));
  }

  function assignment(node) {
    const kind = ts.getAssignmentDeclarationKind(node);
    const right = unwrap(node.right);
    if (node.operatorToken.kind !== K.EqualsToken || !ts.isPropertyAccessExpression(node.left) || isValue(right)) return;
    const name = node.left.name;
    const passedOn = ts.isIdentifier(right) || ts.isBinaryExpression(right) && ts.isAssignmentExpression(right) || isRequire(right) || ts.isVoidExpression(right);
    if (kind === ts.AssignmentDeclarationKind.ExportsProperty && !passedOn) define("constants", name);
    if (node.left.expression.kind === K.ThisKeyword) {
      const member = ts.getThisContainer(node, false, false);
      const key = member.parent && ts.isClassLike(member.parent) && `${member.parent.pos} ${name.text}`;
      const declared = key && member.parent.members.some((m) => ts.isPropertyDeclaration(m) && m.name.getText() === name.getText());
      if (key && !declared && !fieldsOfThis.has(key)) {
        fieldsOfThis.add(key);
        define("fields", name);
      }
    }
  }

  function walk(node) {
    if (ts.isFunctionDeclaration(node)) node.name ? define("functions", node.name) : defaultName("functions", node);
    else if (ts.isMethodDeclaration(node)) define("functions", node.name);
    else if (ts.isMethodSignature(node) && isShape(node)) define("functions", node.name);
    else if (ts.isConstructorDeclaration(node)) {
      const after = node.modifiers && node.modifiers.length ? node.modifiers.end : node.getStart();
      report("functions", "constructor", lineOf(source.text.indexOf("constructor", after)));
    } else if (ts.isAccessor(node) && (ts.isClassLike(node.parent) || ts.isObjectLiteralExpression(node.parent) || isShape(node)))
      define("fields", node.name);
    else if (isValue(node)) value(node);
    else if (ts.isClassDeclaration(node)) node.name ? define("types", node.name) : defaultName("types", node);
    else if (ts.isInterfaceDeclaration(node) || ts.isEnumDeclaration(node)) define("types", node.name);
    else if (ts.isModuleDeclaration(node) && node.name.getText() !== "global" && !ts.isModuleDeclaration(node.parent)) {
      let parts = node.name.getText();
      for (let inner = node.body; inner && ts.isModuleDeclaration(inner); inner = inner.body) parts += "." + inner.name.getText();
      report("types", parts.replace(/^['"]|['"]$/g, ""), lineOf(node.name.getStart()));
    } else if (ts.isTypeAliasDeclaration(node)) define("aliases", node.name);
    else if (ts.isEnumMember(node)) define("enum members", node.name);
    else if (ts.isPropertyDeclaration(node) && !(node.initializer && isValue(unwrap(node.initializer)))) define("fields", node.name);
    else if (ts.isPropertySignature(node) && isShape(node)) define("fields", node.name);
    else if (ts.isParameter(node) && ts.isParameterPropertyDeclaration(node, node.parent)) define("fields", node.name);
    else if (ts.isExportAssignment(node) && !node.isExportEquals && !isValue(unwrap(node.expression)) && !ts.isIdentifier(node.expression))
      report("constants", "default", lineOf(source.text.indexOf("default", node.getStart())));
    else if (ts.isVariableDeclaration(node) && ts.isVariableDeclarationList(node.parent) && isTopLevel(node)) {
      const named = node.initializer && ts.isIdentifier(node.name) && isValue(unwrap(node.initializer));
      if (!named && !isRequire(node.initializer)) names(node.name).forEach((name) => define("constants", name));
    } else if (ts.isInJSFile(node) && ts.isBinaryExpression(node)) assignment(node);
    ts.forEachChild(node, walk);
  }
  walk(source);
}

for (const file of sources(root)) {
  const relative = path.relative(root, file).split(path.sep).join("/");
  const source = ts.createSourceFile(file, fs.readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  if (source.parseDiagnostics.length) continue;
  console.log(JSON.stringify(["file", relative]));
  visit(source, (group, name, line) => console.log(JSON.stringify(["definition", relative, group, name, line])));
}
