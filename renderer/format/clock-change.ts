import { times } from './times.ts'

const day = 86_400_000
const minute = 60_000

/** Within a year, with the zone's name from then on; null if there is none. */
export function nextClockChange(zone: string, from: number): { readonly at: number; readonly zone: string } | null {
  const { zone: nameAt } = times(zone)
  const now = nameAt(from)
  let before = from
  // No zone changes its clocks and back within a day.
  for (let at = from + day; at <= from + 366 * day; before = at, at += day) {
    if (nameAt(at) === now) continue
    let [low, high] = [before, at]
    while (high - low > minute) {
      const middle = Math.floor((low + high) / 2)
      if (nameAt(middle) === now) low = middle
      else high = middle
    }
    // Clocks change at whole minutes.
    const exact = Math.floor(high / minute) * minute
    return { at: exact, zone: nameAt(exact) }
  }
  return null
}

/** The region is the first part of a zone's name. */
export function zonesByRegion(): readonly { readonly region: string; readonly zones: readonly string[] }[] {
  const regions = new Map<string, string[]>([['UTC', ['UTC']]])
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const [region = zone] = zone.split('/')
    if (zone === 'UTC') continue
    regions.set(region, [...(regions.get(region) ?? []), zone])
  }
  return [...regions].map(([region, zones]) => ({ region, zones }))
}
