import { DatabaseSync } from 'node:sqlite'
import path from 'node:path'
import { storePast, type PastBroadcast } from './past-broadcasts.ts'
import type { Personas } from './personas.ts'

const [hour, day] = [3_600_000, 86_400_000]

/** How late it is in a time zone, in ms since midnight. */
function sinceMidnight(now: number, timeZone: string): number {
  const at = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(now)
  const part = (type: string): number => Number(at.find((each) => each.type === type)?.value)
  return ((part('hour') * 60 + part('minute')) * 60 + part('second')) * 1000 + (now % 1000)
}

/** The time zone in which it is nearest to nine in the evening. */
export function eveningZone(now: number, zones: readonly string[]): string {
  const off = (zone: string): number => Math.abs(sinceMidnight(now, zone) - 21 * hour)
  return zones.toSorted((a, b) => off(a) - off(b))[0]!
}

/** Of each file that a show of a week has: days ago, hour at which it began, hours that it took. */
const shows = [
  [6, 20, 2],
  [5, 21, 1.5],
  [4, 20, 2],
  [3, 20.5, 1],
  [3, 21.5, 1],
  [2, 20, 2],
  [1, 20, 1.75],
] as const

/**
 * Dates what was recorded within the last minute to the evenings of the last week, and counts people there: nobody waits a week for pictures.
 * The service must not be running. The files themselves stay as they are, so that they play.
 */
export function makePast(
  dataDir: string,
  personas: Personas,
  ids: { readonly show: string; readonly second: string; readonly roomid: number },
  at: { readonly now: number; readonly timeZone: string },
): void {
  const db = new DatabaseSync(path.join(dataDir, 'service', 'sidestage.db'))
  const { now, timeZone } = at
  const today = now - sinceMidnight(now, timeZone)
  const stamp = (at: number): string =>
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
      .format(at)
      .replaceAll(/[-:]/g, '')
      .replace(' ', '-')
  const move = (vid: number, name: string, begin: number, length: number, rate: number): void => {
    const end = begin + length
    db.prepare(
      'UPDATE recording SET beginTime = ?, endTime = ?, completed = ?, name = ?, duration = ?, bytes = ? WHERE vid = ?',
    ).run(begin, end, end + 4000, name, length, Math.round((length / 1000) * rate), vid)
  }
  const { uid } = db.prepare('SELECT uid FROM room WHERE roomid = ?').get(ids.roomid) as { uid: number }
  // The pushes of today are in no evening of the pictures.
  for (const table of ['broadcast', 'broadcastPush', 'broadcastSample', 'broadcastEvent'])
    db.exec(`DELETE FROM ${table}`)
  const evenings = new Map<string, PastBroadcast>()
  const onAir = (cid: string, channel: string, ago: number, begin: number, length: number): void => {
    const ended = begin + length + 2000
    // Files of further languages are of days that are still to come.
    if (ended > now) return
    const broadcastId = `${cid.slice(0, 20)}${ago}`
    const began = evenings.get(broadcastId)?.began ?? begin - 2000
    evenings.set(broadcastId, { broadcastId, uid, cid, channel, began, ended })
  }
  const rows = (cid: string, merged: 0 | 1) =>
    db
      .prepare("SELECT vid, beginTime FROM recording WHERE cid = ? AND merged = ? AND state = 'ready' ORDER BY vid")
      .all(cid, merged) as { vid: number }[]
  for (const [index, { vid }] of rows(ids.show, 0).entries()) {
    const [ago, from, hours] = shows[index % shows.length]!
    const begin = today - ago * day + from * hour + 130_000
    move(vid, `${personas.filenames.show}_${stamp(begin)}_${stamp(begin + hours * hour)}`, begin, hours * hour, 327_000)
    onAir(ids.show, personas.channels.show, ago, begin, hours * hour)
  }
  for (const [index, { vid }] of rows(ids.second, 0).entries()) {
    const begin = today - (5 - index * 2) * day + 6.5 * hour
    move(vid, `${personas.filenames.second}_${stamp(begin)}_${stamp(begin + 3 * hour)}`, begin, 3 * hour, 210_000)
    onAir(ids.second, personas.channels.second, index, begin, 3 * hour)
  }
  for (const { vid } of rows(ids.show, 1)) {
    const at = today - 2 * day + 11 * hour
    move(vid, personas.filenames.merged, at, 3.5 * hour, 327_000)
    db.prepare('UPDATE recording SET beginTime = endTime, completed = endTime WHERE vid = ?').run(vid)
  }
  for (const evening of evenings.values()) storePast(db, evening)
  const count = db.prepare(
    'INSERT OR REPLACE INTO roomStat (roomid, uid, period, start, active, enters, msgs) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const thisHour = now - (now % hour)
  for (let back = 1; back <= 48; back++) {
    const start = thisHour - back * hour
    const local = (((start - today) / hour) % 24) + (start < today ? 24 : 0)
    const crowd = Math.round(Math.max(0, 96 - Math.abs(((local + 24) % 24) - 21) * 24))
    if (crowd > 0) count.run(ids.roomid, uid, 'HOUR', start, crowd, Math.round(crowd * 1.4), crowd * 6)
  }
  db.close()
}
