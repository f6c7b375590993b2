import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, type Component } from 'vue'
import type { RecordedFile } from '../../../contract/rpc/index.ts'
import { spoken } from '../../format/languages.ts'
import { began, mounted } from '../../testing/mounted.ts'
import { listedBroadcast, marker, recordedFile } from '../../testing/recorded-values.ts'
import { groupsOf } from './broadcast-groups.ts'
import { momentsOf } from './file-moments.ts'
import FilePlayer from './file-player.vue'
import { recordingsWords } from './words.ts'

const { groups: words } = spoken(recordingsWords, 'en')
const hour = 3_600_000
const minute = 60_000
const begin = began - 5 * hour
const one = recordedFile(5, { begin })
const two = recordedFile(6, { begin: begin + hour / 2 })
const clip = recordedFile(7, {
  name: 'Lighthouse horn',
  begin: began,
  merged: true,
  duration: minute,
  clip: { vids: [], from: 0, to: 0, early: 0, begin: begin + 40 * minute },
})
const markers = [marker(1, 290, 'News'), marker(2, 60, 'Later')]
const range = { begin: began - 168 * hour, end: began }
const { groups } = groupsOf([one, two, clip], [listedBroadcast(5)], range)

describe('the moments of what is played', () => {
  it('are markers and clips of its broadcast by time, with the part that has them', () => {
    const of = momentsOf(one, groups, markers).map(({ kind, label, file, seconds }) => [kind, label, file.vid, seconds])
    expect(of).toEqual([
      ['marker', 'News', 5, 600],
      ['clip', 'Lighthouse horn', 6, 600],
    ])
    expect(momentsOf(clip, groups, markers)).toHaveLength(2)
  })

  it('are its own markers where it is of no broadcast, and none of another channel', () => {
    expect(momentsOf(one, [], markers).map(({ label }) => label)).toEqual(['News'])
    expect(momentsOf(recordedFile(8, { begin, cid: '2'.repeat(32) }), [], markers)).toEqual([])
  })
})

describe('the player', () => {
  const show = async (file: RecordedFile) => {
    const told: unknown[] = []
    const part: Component = {
      render: () =>
        h(FilePlayer, {
          open: true,
          profileId: 'local',
          file,
          from: 0,
          moments: momentsOf(file, groups, markers),
          onPlay: (other: RecordedFile, from: number) => told.push([other.vid, from]),
        }),
    }
    await mounted(part, {
      answers: {
        'recordings.ticket': () => ({ path: '/media/none.mp4' }),
        'rooms.linked': () => ({ roomid: null }),
      },
    })
    return told
  }
  const list = () => page.getByRole('region', { name: words.moments })

  it('lists them beside the picture, and has those of the file on its bar', async () => {
    await show(one)
    await expect.element(list()).toMatchTextContent(/Markers and clips 2.*11:10:00.*News.*11:40:00.*Lighthouse horn/)
    const marks = [...document.querySelectorAll<HTMLElement>('[data-moment]')]
    expect(marks.map((mark) => [mark.dataset['moment'], mark.style.left])).toEqual([['marker', '33.3333%']])
  })

  it('goes to one of the file in place, and plays the part that has another', async () => {
    const told = await show(one)
    await list().getByRole('button', { name: /News/ }).click()
    await expect.element(list().getByRole('button', { name: /News/ })).toHaveAttribute('aria-current', 'true')
    expect(told).toEqual([])
    await list()
      .getByRole('button', { name: /Lighthouse/ })
      .click()
    expect(told).toEqual([[6, 600]])
  })

  it('has no list where there is nothing to list', async () => {
    await show(recordedFile(40, { begin: began - 40 * hour }))
    await expect.element(page.getByRole('dialog')).toBeVisible()
    expect(list().query()).toBeNull()
  })
})
