import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { withProps } from '../../testing/mounted.ts'
import RoomRanking from './room-ranking.vue'
import { useRoomStatistics, type Figure } from './room-statistics.ts'
import { useRoom } from './room.ts'
import { roomListsWords } from './words-lists.ts'

const { statistics: words } = spoken(roomListsWords, 'en').roomLists
const row = (roomid: number, active: number, enter = 1, message = 1) => ({ roomid, active, enter, message })

const show = (
  ranking: readonly ReturnType<typeof row>[] | null,
  { figure = 'active', rooms = true }: { readonly figure?: Figure; readonly rooms?: boolean } = {},
) =>
  mountedRoom(withProps(RoomRanking, { period: '15:00–16:00' }), {
    before: (pinia) => {
      const statistics = useRoomStatistics(pinia)
      Object.assign(statistics, { figure })
      Object.defineProperty(statistics, 'ranking', { configurable: true, get: () => ranking })
      if (!rooms) useRoom(pinia).rooms = null
    },
  })
const cells = () =>
  [...document.querySelectorAll('tbody tr')].map((each) =>
    [...each.children].map((cell) => cell.textContent?.trim() ?? ''),
  )

describe('the ranking of rooms', () => {
  it('has the rank, the name and the figures of each, with the own room marked', async () => {
    await show([row(9, 1_200, 30, 4_000), row(7, 5, 6, 7)])
    expect(cells()).toEqual([
      ['1', words.roomNo.replace('{id}', '9'), '1,200', '30', '4,000'],
      ['2', 'Seven', '5', '6', '7'],
    ])
    expect([...document.querySelectorAll('tbody tr')].map(({ className }) => className)).toEqual(['', 'is-chosen'])
  })

  it('names a room by its number while no names are known', async () => {
    await show([row(7, 5)], { rooms: false })
    expect(cells()[0]?.[1]).toBe(words.roomNo.replace('{id}', '7'))
  })

  it.each(['active', 'enter', 'message'] as const)('is by one figure, which its head says: %s', async (figure) => {
    await show([row(7, 5)], { figure })
    const heads = [...document.querySelectorAll('th[aria-sort]')].map((each) => each.getAttribute('aria-sort'))
    expect(heads).toEqual(['active', 'enter', 'message'].map((each) => (each === figure ? 'descending' : 'none')))
    const caption = words.ranking.replace('{figure}', words.figures[figure])
    await expect.element(page.getByRole('table')).toMatchTextContent(`${caption} · 15:00–16:00`)
  })

  it('has the first 50 rooms, and the own one wherever it stands', async () => {
    await show(Array.from({ length: 52 }, (_, index) => row(index === 51 ? 7 : 100 + index, 99 - index)))
    expect(cells().map(([rank]) => Number(rank))).toEqual([...Array.from({ length: 50 }, (_, index) => index + 1), 52])
    const shown = words.shown.split(' | ')[1]!.replace('{n}', '51').replace('{all}', '52')
    await expect.element(page.getByRole('table')).toMatchTextContent(shown)
  })

  it('does not say how many there are where it has all of them', async () => {
    await show(Array.from({ length: 50 }, (_, index) => row(100 + index, 99 - index)))
    expect([cells().length, document.querySelector('tfoot')]).toEqual([50, null])
  })

  it.each([
    [null, '–'],
    [[], words.noRooms],
  ])('tells nothing known from nobody there: %j', async (ranking, text) => {
    await show(ranking)
    expect(cells()).toEqual([[text]])
  })
})
