import type { DatabaseSync } from 'node:sqlite'

/** A broadcast of an evening that is over; times in ms. */
export interface PastBroadcast {
  readonly broadcastId: string
  readonly uid: number
  readonly cid: string
  readonly channel: string
  readonly began: number
  readonly ended: number
}

/** Samples of a broadcast, and seconds of each. */
const [count, seconds] = [360, 20]

/** Stores a broadcast as the service does, with figures that rise and fall, a loss of its encoder and a low bitrate. */
export function storePast(db: DatabaseSync, { broadcastId, uid, cid, channel, began, ended }: PastBroadcast): void {
  const step = (ended - began) / count
  const sample = db.prepare(
    `INSERT INTO broadcastSample (broadcastId, at, measured, known, viewers, kbps, millifps, peak, kbpsLow,
       millifpsLow, keyFrameGap, audioGap) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 2000, 0)`,
  )
  let [sum, peak] = [0, 0]
  for (let index = 0; index < count; index++) {
    const part = index / count
    const people = Math.round(61 * Math.sin(Math.PI * part ** 0.7) ** 1.5)
    const isLow = part > 0.7 && part < 0.74
    const kbps = Math.round((isLow ? 180 : 2650) + 120 * Math.sin(index * 1.7) * Math.sin(index * 0.4))
    const known = index === 130 ? 0 : seconds
    const at = Math.round(began + index * step)
    const measured = Math.round(step / 1000)
    sum += people * measured
    peak = Math.max(peak, people)
    const of = known === 0 ? 0 : measured
    sample.run(broadcastId, at, measured, of, people * measured, kbps * of, 30_000 * of, people, kbps - 60, 29_600)
  }
  const measured = count * Math.round(step / 1000)
  db.prepare(
    `INSERT INTO broadcast (broadcastId, uid, cid, channel, title, began, ended, seen, how, node, pushes, measured,
       viewers, peak, leftOut) VALUES (?, ?, ?, ?, '', ?, ?, ?, 'stopped', '', 1, ?, ?, ?, 0)`,
  ).run(broadcastId, uid, cid, channel, began, ended, ended, measured, sum, peak)
  db.prepare("INSERT INTO broadcastPush (broadcastId, number, began, ended, how) VALUES (?, 0, ?, ?, 'stopped')").run(
    broadcastId,
    began,
    ended,
  )
  const event = db.prepare('INSERT INTO broadcastEvent (broadcastId, number, at, kind, detail) VALUES (?, ?, ?, ?, ?)')
  const lost = Math.round(began + 130 * step)
  event.run(broadcastId, 0, lost, 'held', 'lost')
  event.run(broadcastId, 1, lost + 9_000, 'wentOn', null)
}
