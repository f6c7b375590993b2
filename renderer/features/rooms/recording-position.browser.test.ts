import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { failed } from '../../testing/memory-client.ts'
import { began, withProps } from '../../testing/mounted.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { recordedFile } from '../../testing/recorded-values.ts'
import { saidLine } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomMediaWords } from './words-media.ts'
import { useRecordingPosition } from '../recordings/recording-position.ts'
import RecordingPosition from './recording-position.vue'
import { useRoomPanel } from './room-panel.ts'
import { useRoom } from './room.ts'

const en = spoken(frameWords, 'en')
const roomMediaEn = spoken(roomMediaWords, 'en')

const { roomMedia: words } = roomMediaEn
const cid = '1'.repeat(32)
const file = recordedFile(1)
const hosted = { profile: 'hosted-1', panel: { profileId: 'hosted-1' } } as const
const open = async ({
  here = false,
  ...options
}: Parameters<typeof mountedRoom>[1] & { readonly here?: boolean } = {}) => {
  const shown = await mountedRoom(withProps(RecordingPosition, { here }), options)
  await shown.tell(saidLine('11', 'ana', 'look at that'))
  const panel = useRoomPanel(shown.pinia)
  panel.second = useRoom(shown.pinia).log[0] ?? {
    msgid: '11',
    at: began,
    from: 'ana',
    nick: 'ana',
    text: 'look at that',
    notice: null,
    removed: null,
  }
  await shown.tell()
  await shown.pass(1)
  return { ...shown, panel, second: useRecordingPosition(shown.pinia) }
}
const dialog = () => page.getByRole('dialog')
const button = (name: string) => dialog().getByRole('button', { name, exact: true })

describe('the second of a line in a recording', () => {
  it('is asked for in this room by the time of the line, which stands in the title', async () => {
    const { client, panel } = await open({ answers: { 'rooms.second': () => ({ found: 'unlinked' }) } })
    await expect.element(dialog()).toMatchTextContent(words.title.replace('{time}', '16:00:00'))
    await expect.element(dialog()).toMatchTextContent('2026-11-26')
    expect(client.inputs('rooms.second')).toEqual([{ profileId: 'local', roomid: 7, at: began }])
    expect(panel.second).toBeNull()
  })

  it.each([
    ['unlinked', { found: 'unlinked' }, words.unlinked],
    ['running', { found: 'running', cid, cut: null }, words.running],
    [
      'running with a cut',
      { found: 'running', cid, cut: began + 60_000 },
      words.runningCut.replace('{time}', '16:01:00'),
    ],
    ['none', { found: 'none', cid, before: null, after: null }, words.none],
    ['none at all', { found: 'none', cid, before: null, after: null }, words.noneAtAll],
  ] as const)('says where it is not: %s', async (_case, answer, says) => {
    await open({ answers: { 'rooms.second': () => answer } })
    await expect.element(dialog()).toMatchTextContent(says)
    expect(button(words.openNow).query()).toBeNull()
  })

  it('is played at once where it is in a file', async () => {
    const { router, second } = await open({
      answers: { 'rooms.second': () => ({ found: 'file', cid, file, seconds: 42 }) },
    })
    await expect.poll(() => router.currentRoute.value.path).toBe('/recordings')
    expect(second.opening).toEqual({ profileId: 'local', file, seconds: 42 })
    expect(dialog().query()).toBeNull()
  })

  it('is played in this window where it has no other screens', async () => {
    const { router, second } = await open({
      here: true,
      answers: { 'rooms.second': () => ({ found: 'file', cid, file, seconds: 42 }) },
    })
    await expect.element(dialog()).toMatchTextContent(file.name)
    expect(second.opening).toBeNull()
    expect(router.currentRoute.value.path).toBe('/room')
  })

  it('is told, not played, at a hosted service', async () => {
    const { second } = await open({
      ...hosted,
      answers: { 'rooms.second': () => ({ found: 'file', cid, file, seconds: 90 }) },
    })
    await expect
      .element(dialog())
      .toMatchTextContent(words.hosted.replace('{name}', file.name).replace('{offset}', '00:01:30'))
    expect(button(words.openNow).query()).toBeNull()
    expect(second.opening).toBeNull()
  })

  it('says that a hosted service lists no file of then', async () => {
    await open({ ...hosted, answers: { 'rooms.second': () => ({ found: 'none', cid, before: file, after: null }) } })
    await expect.element(dialog()).toMatchTextContent(words.noneHosted)
    expect(button(words.openBefore).query()).toBeNull()
  })

  it.each([
    ['before', words.openBefore, { before: file, after: null }, 30 * 60 - 5],
    ['after', words.openAfter, { before: null, after: file }, 0],
  ] as const)('offers the nearest file %s it', async (side, name, found, seconds) => {
    const { second } = await open({ answers: { 'rooms.second': () => ({ found: 'none', cid, ...found }) } })
    const time = side === 'before' ? '2026-11-26 15:30:00' : '2026-11-26 15:00:00'
    await expect.element(dialog()).toMatchTextContent(words[side].replace('{name}', file.name).replace('{time}', time))
    expect(dialog().element().textContent).not.toContain(words.noneAtAll)
    await button(name).click()
    await expect.poll(() => second.opening).toEqual({ profileId: 'local', file, seconds })
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('says why it could not be looked up, and is looked up again by the button', async () => {
    const { client } = await open({
      answers: {
        'rooms.second': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await expect.element(dialog().getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    client.answer({ 'rooms.second': () => ({ found: 'unlinked' }) })
    await button(en.word.retry).click()
    await expect.element(dialog()).toMatchTextContent(words.unlinked)
    await expect.element(dialog().getByRole('alert')).not.toBeInTheDocument()
    expect(client.inputs('rooms.second')).toHaveLength(2)
  })

  it('is closed by its button, and asked for again of the same line', async () => {
    const { client, panel, pinia, tell } = await open({ answers: { 'rooms.second': () => ({ found: 'unlinked' }) } })
    await button(en.word.close).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    panel.second = useRoom(pinia).log[0] ?? null
    await tell()
    await expect.element(dialog()).toBeVisible()
    expect(client.inputs('rooms.second')).toHaveLength(2)
  })
})
