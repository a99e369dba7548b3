export function svgOf(screen: string, columns: number): string
