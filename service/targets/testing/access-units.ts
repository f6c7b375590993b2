import { hash } from 'node:crypto'
import { FlvReader } from '../../media/flv-reader.ts'

/** Access units of an FLV in their order, track and hash of the body, without configurations. */
export function accessUnits(bytes: Buffer): string[] {
  const units: string[] = []
  const reader = new FlvReader(({ kind, body }) => {
    if (kind !== 'data' && body[1] === 1) units.push(`${kind} ${hash('sha256', body, 'hex')}`)
  })
  reader.push(bytes)
  return units
}

/** Whether units stand in others one after the other and in the same order; placed by one that is there once only. */
export function isPartOf(part: readonly string[], whole: readonly string[]): boolean {
  const anchor = part.findIndex((unit) => whole.includes(unit) && whole.indexOf(unit) === whole.lastIndexOf(unit))
  if (anchor < 0) return false
  const from = whole.indexOf(part[anchor]!) - anchor
  return from >= 0 && part.every((unit, index) => whole[from + index] === unit)
}
