// A row as a driver returns it: its columns by their names, which are snake_case.

export type DatabaseRow = Record<string, unknown>
