import { times } from './times.ts'

const day = 86_400_000
const minute = 60_000

/** When the clocks of a zone are changed next within a year, and what it is called from then on; null where they are not. */
export function nextClockChange(zone: string, from: number): { readonly at: number; readonly zone: string } | null {
  const { zone: nameAt } = times(zone)
  const now = nameAt(from)
  let before = from
  // A day is short enough: no zone changes its clocks and back within one.
  for (let at = from + day; at <= from + 366 * day; before = at, at += day) {
    if (nameAt(at) === now) continue
    let [low, high] = [before, at]
    while (high - low > minute) {
      const middle = Math.floor((low + high) / 2)
      if (nameAt(middle) === now) low = middle
      else high = middle
    }
    // Clocks are changed at whole minutes.
    const exact = Math.floor(high / minute) * minute
    return { at: exact, zone: nameAt(exact) }
  }
  return null
}

/** Zones that the browser knows, by the part of the world that their names begin with. */
export function zonesByRegion(): readonly { readonly region: string; readonly zones: readonly string[] }[] {
  const regions = new Map<string, string[]>([['UTC', ['UTC']]])
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const [region = zone] = zone.split('/')
    if (zone === 'UTC') continue
    regions.set(region, [...(regions.get(region) ?? []), zone])
  }
  return [...regions].map(([region, zones]) => ({ region, zones }))
}
