import { describe, expect, it } from 'vitest'
import { beforePush, keyOf } from './go-live-before.ts'
import { line, waiting } from './go-live-line.ts'

const good = [
  line('profile', { state: 'ok', says: 'profile.ok' }),
  line('key', { state: 'ok', says: 'key.ok' }),
  line('ingest', { state: 'fault', says: 'ingest.none', fix: 'copy' }),
  waiting('flv', 'waitPush'),
  waiting('hls', 'waitPush'),
  waiting('audio', 'waitPush'),
  line('disk', { state: 'ok', says: 'disk.ok' }),
]
const names = (lines: readonly { readonly name: string }[]) => lines.map(({ name }) => name)

describe('the check before a push', () => {
  it('leaves out what needs a picture, and is complete without one', () => {
    const seen = beforePush(good)
    expect(names(seen.lines)).toEqual(['profile', 'key', 'disk'])
    expect(seen).toMatchObject({ faults: [], ready: 3, isRunning: false })
  })

  it('leaves out what the service does not give', () => {
    expect(names(beforePush([...good, line('share', { state: 'none', says: 'share.none' })]).lines)).not.toContain(
      'share',
    )
  })

  it('runs while something is not known yet', () => {
    expect(beforePush([...good, waiting('targets')])).toMatchObject({ ready: 3, isRunning: true })
  })

  it('puts faults before notes', () => {
    const seen = beforePush([
      line('key', { state: 'warn', says: 'key.soon', fix: 'renew' }),
      line('share', { state: 'fault', says: 'share.closed', fix: 'share' }),
    ])
    expect(names(seen.faults)).toEqual(['share', 'key'])
    expect(seen.ready).toBe(0)
  })

  it('takes no chat and no moderators for a wish, and a room that is closed for a fault', () => {
    const off = [
      line('room', { state: 'warn', says: 'room.none', fix: 'room' }),
      line('moderators', { state: 'warn', says: 'moderators.none', fix: 'moderators' }),
    ]
    expect(beforePush(off)).toMatchObject({ faults: [], ready: 2 })
    expect(names(beforePush([line('room', { state: 'fault', says: 'room.closed' })]).faults)).toEqual(['room'])
  })

  it('tells of a push that was refused, but not of one of somebody else', () => {
    const refused = (why: string) => line('ingest', { state: 'fault', says: `ingest.refused_${why}` })
    expect(names(beforePush([refused('key')]).faults)).toEqual(['ingest'])
    expect(beforePush([refused('keyFrom')]).lines).toEqual([])
  })

  it('tells two targets apart', () => {
    const told = (targetId: number) => line('targets', { state: 'fault', says: 'targets.refused', targetId })
    expect(keyOf(told(1))).not.toBe(keyOf(told(2)))
  })
})
