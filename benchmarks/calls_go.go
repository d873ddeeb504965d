// Truth about the calls of a Go module, by go/types: one JSON object a line for each call expression.
//
//	go run calls_go.go MODULE_ROOT MODULE_PATH BUILD_TAGS
//
// Fields: file, offset (byte of the callee's last name), class (func, external, value, builtin, conversion,
// unknown) and, for func, target_file and target_offset (byte of the name in the declaration). Packages that
// are not installed are replaced by empty ones; what depends on them is of class unknown.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

type call struct {
	File         string `json:"file"`
	Offset       int    `json:"offset"`
	Class        string `json:"class"`
	TargetFile   string `json:"target_file,omitempty"`
	TargetOffset int    `json:"target_offset,omitempty"`
}

type loader struct {
	root, module string
	fset         *token.FileSet
	standard     types.Importer
	packages     map[string]*types.Package
	parsed       map[string][]*ast.File
}

func (l *loader) files(dir string) []*ast.File {
	if files, ok := l.parsed[dir]; ok {
		return files
	}
	entries, _ := os.ReadDir(dir)
	var files []*ast.File
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			continue
		}
		if match, err := build.Default.MatchFile(dir, name); err != nil || !match {
			continue
		}
		if file, err := parser.ParseFile(l.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution); err == nil {
			files = append(files, file)
		}
	}
	l.parsed[dir] = files
	return files
}

func (l *loader) isTest(file *ast.File) bool {
	return strings.HasSuffix(l.fset.Position(file.Package).Filename, "_test.go")
}

func (l *loader) Import(name string) (*types.Package, error) {
	if found, ok := l.packages[name]; ok {
		return found, nil
	}
	if name == l.module || strings.HasPrefix(name, l.module+"/") {
		l.packages[name] = nil
		var files []*ast.File
		for _, file := range l.files(filepath.Join(l.root, strings.TrimPrefix(name, l.module))) {
			if !l.isTest(file) {
				files = append(files, file)
			}
		}
		found := l.check(name, files, nil)
		l.packages[name] = found
		return found, nil
	}
	found, err := l.standard.Import(name)
	if err != nil {
		found = types.NewPackage(name, path.Base(name))
		found.MarkComplete()
	}
	l.packages[name] = found
	return found, nil
}

func (l *loader) check(name string, files []*ast.File, info *types.Info) *types.Package {
	config := types.Config{Importer: l, Error: func(error) {}, FakeImportC: true}
	found, _ := config.Check(name, l.fset, files, info)
	return found
}

func (l *loader) relative(position token.Position) (string, bool) {
	name, err := filepath.Rel(l.root, position.Filename)
	return filepath.ToSlash(name), err == nil && !strings.HasPrefix(name, "..")
}

func callee(expr ast.Expr) *ast.Ident {
	for {
		switch e := expr.(type) {
		case *ast.ParenExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.SelectorExpr:
			return e.Sel
		case *ast.Ident:
			return e
		default:
			return nil
		}
	}
}

func (l *loader) classify(expr *ast.CallExpr, info *types.Info) (call, bool) {
	name := callee(expr.Fun)
	if name == nil {
		return call{}, false
	}
	position := l.fset.Position(name.Pos())
	file, _ := l.relative(position)
	found := call{File: file, Offset: position.Offset, Class: "unknown"}
	switch object := info.Uses[name].(type) {
	case *types.Func:
		target := l.fset.Position(object.Origin().Pos())
		if file, inside := l.relative(target); inside && target.IsValid() {
			found.Class, found.TargetFile, found.TargetOffset = "func", file, target.Offset
		} else {
			found.Class = "external"
		}
	case *types.Builtin:
		found.Class = "builtin"
	case *types.TypeName:
		found.Class = "conversion"
	case *types.Var:
		found.Class = "value"
	}
	return found, true
}

func (l *loader) calls(name string, files []*ast.File) []call {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	l.check(name, files, info)
	var found []call
	for _, file := range files {
		ast.Inspect(file, func(node ast.Node) bool {
			if expr, ok := node.(*ast.CallExpr); ok {
				if one, ok := l.classify(expr, info); ok {
					found = append(found, one)
				}
			}
			return true
		})
	}
	return found
}

func (l *loader) directory(dir string) []call {
	relative, _ := filepath.Rel(l.root, dir)
	name := path.Join(l.module, filepath.ToSlash(relative))
	byPackage := map[string][]*ast.File{}
	for _, file := range l.files(dir) {
		byPackage[file.Name.Name] = append(byPackage[file.Name.Name], file)
	}
	var found []call
	for packageName, files := range byPackage {
		checked := name
		if strings.HasSuffix(packageName, "_test") {
			checked += "_test"
		}
		found = append(found, l.calls(checked, files)...)
	}
	return found
}

func main() {
	build.Default.CgoEnabled = false
	build.Default.BuildTags = strings.Split(os.Args[3], ",")
	root, _ := filepath.Abs(os.Args[1])
	fset := token.NewFileSet()
	l := &loader{root, os.Args[2], fset, importer.ForCompiler(fset, "source", nil), map[string]*types.Package{}, map[string][]*ast.File{}}
	var found []call
	err := filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			found = append(found, l.directory(name)...)
		}
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sort.Slice(found, func(i, j int) bool {
		if found[i].File != found[j].File {
			return found[i].File < found[j].File
		}
		return found[i].Offset < found[j].Offset
	})
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for _, one := range found {
		_ = encoder.Encode(one)
	}
}
