export function svgOf(screen: string, columns: number, title: string): string
