interface Row {
  readonly name: string
  readonly ours: boolean
  readonly samples: readonly number[]
  readonly goal?: { readonly most: number; readonly of?: string }
}
export interface Group {
  readonly name: string
  readonly title: string
  readonly unit: string
  readonly factor?: number
  readonly digits: number
  readonly rows: readonly Row[]
}
export function cells(row: Row, rows: readonly Row[], group: Group): string[]
