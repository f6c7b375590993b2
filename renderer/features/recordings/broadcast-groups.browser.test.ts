import { describe, expect, it } from 'vitest'
import { began } from '../../testing/mounted.ts'
import { listedBroadcast, recordedFile } from '../../testing/recorded-values.ts'
import { groupsOf, rowsOf } from './broadcast-groups.ts'

const hour = 3_600_000
const week = { begin: began - 168 * hour, end: began + hour }
const clipOf = (begin?: number) => ({ vids: [], from: 0, to: 0, early: 0, ...(begin !== undefined && { begin }) })
const group = (...args: Parameters<typeof groupsOf>) => {
  const { groups, others } = groupsOf(...args)
  return {
    groups: groups.map(({ broadcast, files }) => [broadcast.broadcastId, files.map(({ vid }) => vid)]),
    others: others.map(({ vid }) => vid),
  }
}

describe('the files of a broadcast', () => {
  it('are those recorded while it was on air, parts first, each by time', () => {
    const begin = began - 5 * hour
    const clip = recordedFile(9, { begin: began, merged: true, duration: 60_000, clip: clipOf(begin + 600_000) })
    const [second, first] = [recordedFile(2, { begin: begin + hour / 2 }), recordedFile(1, { begin })]
    expect(group([clip, second, first], [listedBroadcast(5)], week)).toEqual({
      groups: [['b5', [1, 2, 9]]],
      others: [],
    })
  })

  it('are of its channel, and go to the newest of two that both were on air', () => {
    const file = recordedFile(3, { begin: began - 2 * hour, end: began - hour })
    const other = recordedFile(4, { begin: began - 2 * hour, cid: '2'.repeat(32) })
    expect(group([file, other], [listedBroadcast(3, { ended: began - hour }), listedBroadcast(2)], week)).toEqual({
      groups: [
        ['b2', [3]],
        ['b3', []],
      ],
      others: [4],
    })
  })

  it('go on while it is on air', () => {
    const { ended, ...onAir } = listedBroadcast(5)
    expect(ended).toBeDefined()
    expect(group([recordedFile(1)], [onAir], week).groups).toEqual([['b5', [1]]])
  })

  it('are neither merged files nor clips of an unknown time', () => {
    const merged = recordedFile(1, { begin: began - 4.5 * hour, merged: true })
    const clip = recordedFile(2, { begin: began - 4.5 * hour, merged: true, clip: clipOf() })
    expect(group([merged, clip], [listedBroadcast(5)], week).others).toEqual([1, 2])
  })
})

describe('a broadcast without files', () => {
  it('is listed when it was on air within the range and is over', () => {
    const { ended, ...onAir } = listedBroadcast(1)
    expect(ended).toBeDefined()
    const shows = [onAir, listedBroadcast(5), listedBroadcast(200)]
    expect(group([], shows, week).groups).toEqual([['b5', []]])
  })
})

describe('the lines of the table', () => {
  const files = [
    recordedFile(1),
    recordedFile(5, { begin: began - 5 * hour }),
    recordedFile(6, { begin: began - 4.5 * hour }),
    recordedFile(30),
  ]
  const lines = (isOpen: (id: string) => boolean, range = week) =>
    rowsOf(groupsOf(files, [listedBroadcast(5)], range), isOpen).map(({ key, file, ...row }) => [
      key,
      file && 'part' in row ? row.part : file,
    ])

  it('stand by time, newest first, and those of an open group follow it with their numbers', () => {
    expect(lines(() => false)).toEqual([
      ['1', null],
      ['b5', null],
      ['30', null],
    ])
    expect(lines((id) => id === 'b5')).toEqual([
      ['1', null],
      ['b5', null],
      ['5', 1],
      ['6', 2],
      ['30', null],
    ])
  })

  it('have no numbers where earlier parts are out of the list', () => {
    expect(lines(() => true, { begin: began - 4.9 * hour, end: began }).slice(1, 4)).toEqual([
      ['b5', null],
      ['5', null],
      ['6', null],
    ])
  })
})
