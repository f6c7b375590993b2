/** In s (contract, rooms.act). */
const longest = 3600

/** Pause in s; null unless a whole number from 0 to an hour. */
export const slowSecondsOf = (text: string): number | null =>
  /^\s*\d{1,4}\s*$/.test(text) && Number(text) <= longest ? Number(text) : null
