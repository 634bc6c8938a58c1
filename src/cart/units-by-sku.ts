// How many units of each SKU a list of lines has: a SKU on two lines counts once, with the units of both.

export function unitsBySku(lines: { sku: string; quantity: number }[]): Map<string, number> {
  const units = new Map<string, number>()
  for (const { sku, quantity } of lines) units.set(sku, (units.get(sku) ?? 0) + quantity)
  return units
}
