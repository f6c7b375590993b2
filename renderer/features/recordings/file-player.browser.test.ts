import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref } from 'vue'
import type { RecordedFile } from '../../../contract/rpc/index.ts'
import { makeComputer } from '../../testing/fake-computer.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, type MountOptions } from '../../testing/mounted.ts'
import { recordedFile } from '../../testing/recorded-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomMediaWords } from '../rooms/words-media.ts'
import { recordingsWords } from './words.ts'
import FilePlayer from './file-player.vue'

const en = spoken(frameWords, 'en')
const roomMediaEn = spoken(roomMediaWords, 'en')
const recordingsEn = spoken(recordingsWords, 'en')

const { files: words } = recordingsEn

async function show(file: RecordedFile, options: MountOptions & { readonly from?: number } = {}) {
  const open = ref(true)
  const on = await mounted(
    {
      render: () =>
        h(FilePlayer, {
          open: open.value,
          'onUpdate:open': (now: boolean) => (open.value = now),
          profileId: options.profile ?? 'local',
          file,
          from: options.from ?? 0,
        }),
    },
    {
      ...options,
      answers: {
        'recordings.ticket': () => ({ path: '/media/none.mp4' }),
        'rooms.linked': () => ({ roomid: null }),
        ...options.answers,
      },
    },
  )
  await expect.element(page.getByRole('dialog', { name: file.name })).toBeVisible()
  return { ...on, open }
}
const dialog = () => page.getByRole('dialog')
const video = (): HTMLVideoElement | null => document.querySelector('video')

describe('the player of a recorded file', () => {
  it('says format, length, size and begin of the file, and where it is on the disk', async () => {
    const computer = makeComputer('full', began)
    await show(recordedFile(2), { events: [{ type: 'computer', computer }] })
    await expect.element(dialog()).toMatchTextContent('MP4 · 00:30:00 · 1.00 MB · 2026-11-26 14:00:00')
    await expect.element(dialog()).toMatchTextContent(computer.folder.path)
  })

  it('leaves out what is not known of the file', async () => {
    await show(recordedFile(2, { bytes: null, duration: null }))
    await expect.element(dialog()).toMatchTextContent('MP4 · 2026-11-26 14:00:00')
  })

  it('plays from a ticket for the file, and ends with the dialog', async () => {
    const { client, open } = await show(recordedFile(2))
    await expect.poll(() => client.inputs('recordings.ticket')).toEqual([{ profileId: 'local', vid: 2 }])
    await expect.poll(() => video()?.getAttribute('src')).toBe('/media/none.mp4')
    await page.getByRole('button', { name: en.word.close, exact: true }).click()
    expect(open.value).toBe(false)
  })

  it('is closed by Escape', async () => {
    const { open } = await show(recordedFile(2))
    await userEvent.keyboard('{Escape}')
    expect(open.value).toBe(false)
  })

  it('says that the file cannot be played', async () => {
    await show(recordedFile(2))
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.unplayable.replace('{reason}', ''))
  })

  it('says why it has no ticket', async () => {
    await show(recordedFile(2), {
      answers: {
        'recordings.ticket': () => {
          throw failed({ kind: 'code', code: 501 })
        },
      },
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent('The live service had a fault')
  })

  it('has no chat beside a merged file, which has no time of its own', async () => {
    await show(recordedFile(2, { merged: true }))
    expect(page.getByRole('region', { name: roomMediaEn.roomMedia.chatOf }).query()).toBeNull()
  })

  it('plays nothing of a hosted service, and says so', async () => {
    const { client } = await show(recordedFile(2), { profile: 'hosted-1' })
    await expect.element(dialog()).toMatchTextContent(words.hosted)
    expect(video()).toBeNull()
    expect(client.inputs('recordings.ticket')).toEqual([])
  })
})

describe('a file whose ticket expires', () => {
  /** The video loads nothing, and notes what it should load. */
  const still = () => {
    const sources: string[] = []
    vi.spyOn(HTMLMediaElement.prototype, 'src', 'set').mockImplementation((source) => void sources.push(source))
    vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue()
    onTestFinished(() => void vi.restoreAllMocks())
    return sources
  }
  const breakAt = (seconds: number): void => {
    const element = video()!
    Object.defineProperty(element, 'currentTime', { value: seconds, writable: true, configurable: true })
    element.dispatchEvent(new Event('error'))
  }

  it('goes on at the same place with a new ticket, once', async () => {
    const sources = still()
    let tickets = 0
    const { client } = await show(recordedFile(2), {
      answers: { 'recordings.ticket': () => ({ path: `/media/ticket-${++tickets}.mp4` }) },
    })
    await expect.poll(() => sources).toEqual(['/media/ticket-1.mp4'])
    breakAt(12)
    await expect.poll(() => sources).toEqual(['/media/ticket-1.mp4', '/media/ticket-2.mp4'])
    expect(page.getByRole('alert').query()).toBeNull()
    const element = video()!
    element.currentTime = 0
    Object.defineProperty(element, 'duration', { value: 100, configurable: true })
    element.dispatchEvent(new Event('loadedmetadata'))
    expect(element.currentTime).toBe(12)
    breakAt(20)
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.unplayable.replace('{reason}', ''))
    expect(client.inputs('recordings.ticket').length).toBe(2)
  })

  it('that never began is not asked for again', async () => {
    const sources = still()
    const { client } = await show(recordedFile(2))
    await expect.poll(() => sources.length).toBe(1)
    breakAt(0)
    await expect.element(page.getByRole('alert')).toBeVisible()
    expect(client.inputs('recordings.ticket').length).toBe(1)
  })

  it('says why there is no new one', async () => {
    const sources = still()
    const { client } = await show(recordedFile(2))
    await expect.poll(() => sources.length).toBe(1)
    client.answer({
      'recordings.ticket': () => {
        throw failed({ kind: 'code', code: 501 })
      },
    })
    breakAt(12)
    await expect.element(page.getByRole('alert')).toMatchTextContent('The live service had a fault')
  })

  it('plays nothing with a ticket that comes after the dialog was closed', async () => {
    const sources = still()
    const gate = Promise.withResolvers<{ path: string }>()
    const { open, client, pass } = await show(recordedFile(2), { answers: { 'recordings.ticket': () => gate.promise } })
    await expect.poll(() => client.inputs('recordings.ticket').length).toBe(1)
    open.value = false
    await expect.element(dialog()).not.toBeInTheDocument()
    gate.resolve({ path: '/media/late.mp4' })
    await pass(1)
    expect(sources).toEqual([])
  })
})
