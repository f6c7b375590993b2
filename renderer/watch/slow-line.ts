/** In s: a picture by low delay that is older at so many looks in a row comes over a line too slow for it. */
const tooOld = 8
const inARow = 6
/** So old, in s, it is again what low delay promises. */
const young = 4

/** Whether the line of this viewer is too slow for low delay; `tell` is called when it turns out to be. */
export function createSlowLine(tell: () => void) {
  let late = 0
  let isSlow = false
  return {
    isSlow: (): boolean => isSlow,
    /** Each second that low delay plays: how old the picture is beyond the delay of the channel, in s, if known. */
    look(age: number | undefined): void {
      late = age !== undefined && age > tooOld ? late + 1 : 0
      if (age !== undefined && age < young) isSlow = false
      if (late < inARow) return
      late = 0
      isSlow = true
      tell()
    },
    /** Another show, or another choice of the viewer. */
    forget(): void {
      late = 0
      isSlow = false
    },
  }
}
