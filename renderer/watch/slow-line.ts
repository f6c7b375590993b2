/** In s: a picture by low delay that is older at so many looks in a row comes over a line too slow for it. */
const tooOld = 8
const inARow = 6
/** So old, in s, it is again what low delay promises. */
const young = 4
/**
 * Media that comes slower than it plays: over so many looks, of which each half saw the picture grow older by so much,
 * in s, and none saw it grow younger by more than what the clocks may be off. One break of the line is no such thing:
 * what it held up comes at once after it.
 */
const looks = 8
const growth = 0.5
const jitter = 0.3

/** Whether the line of this viewer is too slow for low delay; `tell` is called when it turns out to be. */
export function createSlowLine(tell: () => void) {
  let late = 0
  let isSlow = false
  /** Ages of the last looks, oldest first. */
  let ages: number[] = []
  /** By so much of their last age nothing came at all, in s. */
  let stood = 0
  const falls = (): boolean => {
    const [first, middle, last] = [ages[0], ages[looks / 2], ages[looks]]
    if (first === undefined || middle === undefined || last === undefined || last < young) return false
    return middle - first >= growth && last - middle >= growth
  }
  return {
    isSlow: (): boolean => isSlow,
    /**
     * Each second that low delay plays: how old the picture is beyond the delay of the channel, in s, if known, and
     * whether anything came since the last look. A line on which nothing comes is lost, not slow.
     */
    look(age: number | undefined, came = true): void {
      if (age !== undefined && !came) {
        stood = age - (ages.at(-1) ?? age)
        return
      }
      late = age !== undefined && age > tooOld ? late + 1 : 0
      if (age !== undefined && age < young) isSlow = false
      if (age === undefined || age - stood < (ages.at(-1) ?? 0) - jitter) {
        ages = []
        stood = 0
      }
      if (age !== undefined) ages = [...ages.slice(-looks), age - stood]
      if (late < inARow && !falls()) return
      late = 0
      ages = []
      stood = 0
      isSlow = true
      tell()
    },
    /** Another show, or another choice of the viewer. */
    forget(): void {
      late = 0
      ages = []
      stood = 0
      isSlow = false
    },
  }
}
