import { parse, stringify } from 'yaml'

/** A feed of electron-updater, offered to `percent` of the installations, 1 to 100. Throws for a text that is no feed. */
export function stage(feed: string, percent: number): string {
  if (!Number.isInteger(percent) || percent < 1 || percent > 100)
    throw new Error('the share is a whole number from 1 to 100')
  const read: unknown = parse(feed)
  if (typeof read !== 'object' || read === null || !('version' in read) || !('sha512' in read))
    throw new Error('this is no feed of a release')
  return stringify({ ...read, stagingPercentage: percent })
}
