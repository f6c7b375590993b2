import { maxMute } from '../../../contract/operations/limits.ts'
import { enteredLength, type SpanPart } from '../../format/spans.ts'

/** Default presets of a mute, in s; 0 is until lifted. */
export const usualPresets: readonly number[] = [60, 600, 3_600, 86_400, 604_800, 0]
/** One for each key. */
export const maxPresets = 6

/** A preset as entered. */
export interface EnteredPreset {
  readonly amount: string
  readonly unit: SpanPart['unit'] | 'lifted'
}

const sizes: Readonly<Record<SpanPart['unit'], number>> = { days: 86_400, hours: 3_600, minutes: 60, seconds: 1 }

/** A preset for the form. */
export function enteredOf(seconds: number): EnteredPreset {
  if (seconds === 0) return { amount: '', unit: 'lifted' }
  const { n, unit } = enteredLength(seconds)
  return { amount: String(n), unit }
}

/** Not a whole number from 1, more than 30 days, or there twice. */
type PresetFault = 'number' | 'most' | 'twice'

/** Seconds, with a fault or null for each. */
export function readPresets(entered: readonly EnteredPreset[]): {
  readonly seconds: readonly number[]
  readonly faults: readonly (PresetFault | null)[]
} {
  const seconds = entered.map(({ amount, unit }) => {
    if (unit === 'lifted') return 0
    return /^[0-9]{1,7}$/.test(amount.trim()) && Number(amount) > 0 ? Number(amount) * sizes[unit] : NaN
  })
  const faultOf = (one: number, index: number): PresetFault | null => {
    if (Number.isNaN(one)) return 'number'
    if (one > maxMute) return 'most'
    return seconds.indexOf(one) < index ? 'twice' : null
  }
  return { seconds, faults: seconds.map(faultOf) }
}
