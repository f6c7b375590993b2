import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { InputOf, OutputOf } from '../../testing/memory-client.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, service } from '../../testing/mounted.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { errorTable } from '../../../contract/errors.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomListsWords } from './words-lists.ts'
import RoomStatistics from './room-statistics.vue'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const roomListsEn = spoken(roomListsWords, 'en')
const roomListsZh = spoken(roomListsWords, 'zh')

const { statistics: words, reading } = roomListsEn.roomLists
const hour = 3_600_000
type Asked = InputOf<'operations.statistics.topn'>
type Told = OutputOf<'operations.statistics.topn'>
type Row = readonly [roomId: number, active: number, enter: number, lines: number]

/** What the service tells of the period of a call. */
const told =
  (rows: (hoursAgo: number) => readonly Row[]) =>
  ({ call }: Asked): Told => {
    const step = call.period === 'day' ? 24 * hour : hour
    const start = Number(call.timestamp) - step / 2
    return {
      data: rows(Math.round((began - start) / hour)).map(([roomId, activeNums, enterNums, msgs]) => ({
        roomId,
        activeNums,
        enterNums,
        msgs,
        datetime: start / 1000,
        period: call.period === 'day' ? 'DAY' : 'HOUR',
      })),
    }
  }
const usual = told((ago) => [
  [3090, 12, 5, 80],
  [7, 1000 + ago, 2000 + ago, 3000 + ago],
])
const open = (topn: (asked: Asked) => Told | Promise<Told> = usual, options: Parameters<typeof mountedRoom>[1] = {}) =>
  mountedRoom(RoomStatistics, { ...options, answers: { 'operations.statistics.topn': topn } })
const button = (name: string) => page.getByRole('button', { name })
const chart = () => page.getByRole('slider')
const tables = () => page.getByRole('table')
const rowOf = (period: string) => tables().first().getByRole('row').filter({ hasText: period })
const newest = '2026-11-26 15:00–16:00'
const before = '2026-11-26 14:00–15:00'
const oldest = '2026-11-25 16:00–17:00'

describe('the statistics of a room', () => {
  it('are read hour by hour, the newest first, and have every figure in the table', async () => {
    const { client } = await open()
    await expect.element(rowOf(oldest)).toMatchTextContent('1,024')
    const asked = client.inputs('operations.statistics.topn')
    expect(asked.length).toBe(24)
    expect(asked[0]).toEqual({
      profileId: 'local',
      call: { topn: 500, timestamp: began - hour / 2, period: 'hour', orderby: 'active' },
    })
    expect(asked.map(({ call }) => Number(call.timestamp))).toEqual(
      Array.from({ length: 24 }, (_, n) => began - hour / 2 - n * hour),
    )
    await expect.element(rowOf(newest)).toMatchTextContent(/1,001\s*2,001\s*3,001/)
    expect(tables().first().getByRole('row').elements().length).toBe(25)
  })

  it('say what is read yet and what is not', async () => {
    const first = Promise.withResolvers<void>()
    await open(async (asked) => {
      await first.promise
      return usual(asked)
    })
    await expect.element(page.getByRole('status')).toMatchTextContent(reading)
    await expect.element(rowOf(newest)).toMatchTextContent(words.wait)
    first.resolve()
    await expect.element(rowOf(newest)).toMatchTextContent('1,001')
    await expect.element(page.getByRole('status')).toMatchTextContent(/^$/)
  })

  it('of days are 14, and asked for as days', async () => {
    const { client } = await open()
    await expect.element(rowOf(oldest)).toMatchTextContent('1,024')
    await button(words.spans.days).click()
    await expect.element(button(words.spans.days)).toHaveAttribute('aria-pressed', 'true')
    await expect
      .poll(() => client.inputs('operations.statistics.topn').filter(({ call }) => call.period === 'day').length)
      .toBe(14)
    await expect.element(page.getByRole('row').filter({ hasText: '2026-11-25' }).first()).toBeVisible()
  })

  it('that are known are not asked for again when another figure is shown', async () => {
    const { client, pass } = await open()
    await expect.element(rowOf(oldest)).toMatchTextContent('1,024')
    await button(words.figures.message).click()
    // The newest hour is over only just: late lines may still be counted.
    await expect.poll(() => client.inputs('operations.statistics.topn').length).toBe(25)
    await pass(400_000)
    await button(words.figures.enter).click()
    await expect.poll(() => client.inputs('operations.statistics.topn').length).toBe(26)
    await button(words.figures.active).click()
    await expect.element(button(words.figures.active)).toHaveAttribute('aria-pressed', 'true')
    expect(client.inputs('operations.statistics.topn').length).toBe(26)
  })

  it('say that nobody was there', async () => {
    await open(told(() => []))
    await expect.element(page.getByText(words.nothing)).toBeVisible()
    await expect.element(tables().last()).toMatchTextContent(words.noRooms)
  })

  it('say of a room that is not among 500 that the service lists no figures, and rank by the figure', async () => {
    const { client } = await open(
      told(() => Array.from({ length: 500 }, (_, n): Row => [100 + n, 600 - n, 600 - n, 600 - n])),
    )
    await expect.element(rowOf(newest)).toMatchTextContent(words.unranked)
    await button(words.figures.message).click()
    await expect
      .poll(() => client.inputs('operations.statistics.topn').find(({ call }) => call.orderby === 'message')?.call)
      .toEqual({ topn: 500, timestamp: began - hour / 2, period: 'hour', orderby: 'message' })
  })

  it('say of a hosted service that it told nothing of a period', async () => {
    await open(
      told(() => []),
      { profile: 'hosted-1', panel: { profileId: 'hosted-1' } },
    )
    await expect.element(rowOf(newest)).toMatchTextContent(words.none)
  })

  it('say what the service refused, ask no further, and are read again by the button', async () => {
    const { client } = await open(() => {
      throw failed({ kind: 'code', code: 416 })
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent(errorTable[416].sentence.en)
    expect(client.inputs('operations.statistics.topn').length).toBe(1)
    client.answer({ 'operations.statistics.topn': usual })
    await button(en.word.retry).click()
    await expect.element(rowOf(oldest)).toMatchTextContent('1,024')
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it('are not asked for while the service is down, and are when it is back', async () => {
    const { client, tell } = await open(usual, {
      events: [service('restarting')],
    })
    await expect.element(rowOf(newest)).toMatchTextContent(words.wait)
    expect(client.inputs('operations.statistics.topn')).toEqual([])
    await tell(service('running'))
    await expect.element(rowOf(newest)).toMatchTextContent('1,001')
  })

  it('of another room are those of that one', async () => {
    const { pinia } = await open()
    await expect.element(rowOf(newest)).toMatchTextContent('1,001')
    useRoom(pinia).roomid = 3090
    await expect.element(rowOf(newest)).toMatchTextContent(/12\s*5\s*80/)
  })
})

describe('the period that is chosen', () => {
  it('goes with the arrow keys, Home and End, and no further than the ends', async () => {
    await open()
    await expect.element(rowOf(oldest)).toMatchTextContent('1,024')
    await expect.element(chart()).toHaveAttribute('aria-valuenow', '24')
    chart().element().focus()
    for (const [key, at] of [
      ['{ArrowLeft}', '23'],
      ['{ArrowDown}', '22'],
      ['{ArrowRight}', '23'],
      ['{ArrowUp}', '24'],
      ['{ArrowRight}', '24'],
      ['{Home}', '1'],
      ['{ArrowLeft}', '1'],
      ['{End}', '24'],
    ] as const) {
      await userEvent.keyboard(key)
      await expect.element(chart()).toHaveAttribute('aria-valuenow', at)
    }
    await userEvent.keyboard('{Control>}{Home}{/Control}')
    await expect.element(chart()).toHaveAttribute('aria-valuenow', '24')
    await expect.element(chart()).toHaveFocus()
  })

  it('is read out with its figure', async () => {
    await open()
    await expect.element(chart()).toHaveAttribute('aria-valuetext', `${newest}: 1,001 people who entered or spoke`)
    await button(words.figures.message).click()
    await expect.element(chart()).toHaveAttribute('aria-valuetext', `${newest}: 3,001 lines`)
  })

  it('is chosen by its button in the table, and ranks the rooms of that period', async () => {
    await open(
      told((ago) =>
        ago === 2
          ? [
              [7, 1, 9, 5],
              [3090, 4, 2, 6],
            ]
          : [[7, 3, 3, 3]],
      ),
    )
    await expect.element(rowOf(oldest)).toMatchTextContent('3')
    await button(words.choose.replace('{period}', before)).click()
    await expect.element(button(words.choose.replace('{period}', before))).toHaveAttribute('aria-pressed', 'true')
    const ranks = () =>
      tables()
        .last()
        .getByRole('rowheader')
        .elements()
        .map((each) => each.textContent.trim())
    await expect.element(tables().last()).toMatchTextContent(before)
    expect(ranks()).toEqual([words.roomNo.replace('{id}', '3090'), 'Seven'])
    await button(words.figures.enter).click()
    await expect.poll(ranks).toEqual(['Seven', words.roomNo.replace('{id}', '3090')])
    await expect
      .element(page.getByRole('columnheader', { name: new RegExp(`^${words.figures.enter}`) }).last())
      .toHaveAttribute('aria-sort', 'descending')
  })

  it('is chosen by a press on its bar, and read out while the pointer is on it', async () => {
    const { pass } = await open()
    await expect.element(rowOf(oldest)).toMatchTextContent('1,024')
    await pass(1)
    const plot = () => chart().element().querySelector<HTMLElement>('.u-over')
    await expect.poll(plot).not.toBeNull()
    const { width, height } = plot()!.getBoundingClientRect()
    const first = { position: { x: width / 48, y: height / 2 } }
    await page.elementLocator(plot()!).hover(first)
    await expect
      .element(page.getByText(`${oldest}: ${words.counted.active.split(' | ')[1]!.replace('{n}', '1,024')}`))
      .toBeVisible()
    await expect.element(chart()).toHaveAttribute('aria-valuenow', '24')
    await page.elementLocator(plot()!).click(first)
    await expect.element(chart()).toHaveAttribute('aria-valuenow', '1')
    await expect.element(button(words.choose.replace('{period}', oldest))).toHaveAttribute('aria-pressed', 'true')
  })

  it('ranks 50 rooms and this one, and says how many there are', async () => {
    await open(told(() => Array.from({ length: 60 }, (_, n) => [n === 54 ? 7 : 1_000 + n, 100 - n, 1, 1] as const)))
    const ranks = () =>
      tables()
        .last()
        .getByRole('row')
        .elements()
        .map((each) => each.querySelector('td.number')?.textContent)
        .filter((each) => each !== undefined)
    await expect.poll(() => ranks().length).toBe(51)
    expect([ranks()[0], ranks()[49], ranks()[50]]).toEqual(['1', '50', '55'])
    expect(tables().last().element().querySelector('.is-chosen')?.textContent).toContain('Seven')
    await expect
      .element(tables().last())
      .toMatchTextContent(words.shown.split(' | ')[1]!.replace('{n}', '51').replace('{all}', '60'))
  })

  it('says that no room was active in it', async () => {
    await open(told(() => []))
    await expect.element(tables().last()).toMatchTextContent(words.noRooms)
    expect(tables().last().element().querySelector('tfoot')).toBeNull()
  })

  it('has the names of rooms as they were written', async () => {
    await open(usual, {
      before: (pinia) =>
        void (useRoom(pinia).rooms = [
          { roomid: 7, name: '<b>Sev|en</b> {n}', creator: 'host', valid: true, online: 1, cid: null },
        ]),
    })
    await expect.element(page.getByRole('rowheader', { name: '<b>Sev|en</b> {n}' })).toBeVisible()
  })
})

it('the statistics of a room have their words in Chinese', async () => {
  await open(usual, { language: 'zh' })
  const { statistics } = roomListsZh.roomLists
  await expect.element(page.getByRole('region', { name: statistics.title })).toBeVisible()
  for (const name of [statistics.spans.days, statistics.figures.active, statistics.figures.message])
    await expect.element(button(name)).toBeVisible()
  await expect
    .element(chart())
    .toHaveAttribute('aria-valuetext', expect.stringContaining(statistics.counted.active.replace('{n}', '1,001')))
})
