/** Longest pause of slow mode, in s (contract, rooms.act). */
const longest = 3600

/** Reads what was entered as the pause of slow mode, in s; null where it is no whole number from 0 to an hour. */
export const slowSecondsOf = (text: string): number | null =>
  /^\s*\d{1,4}\s*$/.test(text) && Number(text) <= longest ? Number(text) : null
