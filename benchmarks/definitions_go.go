// Truth about the definitions of Go files, by go/parser: one JSON array a line, [file, group, name, line].
//
//	go run definitions_go.go ROOT
//
// A file without definitions gives one row with an empty group. Members of anonymous structs and interfaces are
// left out, as are local variables.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

type file struct {
	fset *token.FileSet
	name string
	out  *json.Encoder
}

func (f file) add(group, name string, at token.Pos) {
	_ = f.out.Encode([]any{f.name, group, name, f.fset.Position(at).Line})
}

func lastName(expr ast.Expr) *ast.Ident {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return lastName(e.X)
	case *ast.IndexExpr:
		return lastName(e.X)
	case *ast.IndexListExpr:
		return lastName(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.Ident:
		return e
	}
	return nil
}

func (f file) typeSpec(spec *ast.TypeSpec) {
	if spec.Assign.IsValid() {
		f.add("aliases", spec.Name.Name, spec.Name.Pos())
	} else {
		f.add("types", spec.Name.Name, spec.Name.Pos())
	}
	switch definition := spec.Type.(type) {
	case *ast.StructType:
		for _, field := range definition.Fields.List {
			for _, name := range field.Names {
				f.add("fields", name.Name, name.Pos())
			}
			if name := lastName(field.Type); len(field.Names) == 0 && name != nil {
				f.add("fields", name.Name, name.Pos())
			}
		}
	case *ast.InterfaceType:
		for _, method := range definition.Methods.List {
			for _, name := range method.Names {
				f.add("functions", name.Name, name.Pos())
			}
		}
	}
}

func (f file) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.FuncDecl:
		f.add("functions", n.Name.Name, n.Name.Pos())
	case *ast.FuncLit:
		f.add("anonymous", "", n.Pos())
	case *ast.TypeSpec:
		f.typeSpec(n)
	}
	return true
}

func (f file) variables(tree *ast.File) {
	for _, declaration := range tree.Decls {
		if general, ok := declaration.(*ast.GenDecl); ok {
			for _, spec := range general.Specs {
				if value, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range value.Names {
						f.add("constants", name.Name, name.Pos())
					}
				}
			}
		}
	}
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	buffer := bufio.NewWriter(os.Stdout)
	defer buffer.Flush()
	out := json.NewEncoder(buffer)
	err := filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		relative, _ := filepath.Rel(root, name)
		f := file{fset, filepath.ToSlash(relative), out}
		f.add("", "", token.NoPos)
		ast.Inspect(tree, f.visit)
		f.variables(tree)
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
