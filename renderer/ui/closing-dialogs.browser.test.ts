import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref } from 'vue'
import ChannelDialogs from '../features/channels/channel-dialogs.vue'
import { useDialogs } from '../features/channels/dialogs.ts'
import TokenDialog from '../features/messaging/token-dialog.vue'
import ProfilesPanel from '../features/profiles/profiles-panel.vue'
import FilePlayer from '../features/recordings/file-player.vue'
import RecordingPosition from '../features/rooms/recording-position.vue'
import { useRoomPanel } from '../features/rooms/room-panel.ts'
import ShareSheet from '../features/share/share-sheet.vue'
import { frameWords } from '../features/frame/words.ts'
import { settingsWords } from '../features/settings/words.ts'
import { shareWords } from '../features/share/words.ts'
import { spoken } from '../format/languages.ts'
import { fadeSlowly } from '../testing/fade-slowly.ts'
import { makeProfiles } from '../testing/fake-state.ts'
import { mountedRoom } from '../testing/mounted-room.ts'
import { began, channel, mounted, withProps } from '../testing/mounted.ts'
import { recordedFile } from '../testing/recorded-values.ts'
import { sheetAnswers } from '../testing/share-values.ts'

const en = spoken(frameWords, 'en')
const { settings } = spoken(settingsWords, 'en')
const { share } = spoken(shareWords, 'en')
const one = channel(1)
const [local, hosted] = makeProfiles('full')
const escape = (): Promise<void> => userEvent.keyboard('{Escape}')

/** Opens the dialog of a component, and says what it has to say and how it is closed; its text may differ by `but`. */
type Opens = () => Promise<{ says: RegExp; close: () => unknown; but?: string }>
/** Dialogs whose words come from what they are about, which is gone with their end. */
const dialogs: Readonly<Record<string, Opens>> = {
  'features/channels/channel-dialogs.vue': async () => {
    const { pinia } = await mounted(ChannelDialogs, { channels: [one] })
    useDialogs(pinia).askRename(one.cid)
    return { says: /Channel 1/, close: () => useDialogs(pinia).close() }
  },
  'features/messaging/token-dialog.vue': async () => {
    const issued = ref<{ accid: string; token: string; kept: boolean } | null>(null)
    await mounted({ render: () => h(TokenDialog, { issued: issued.value, onClose: () => (issued.value = null) }) })
    issued.value = { accid: 'ana', token: 'the-token', kept: true }
    return { says: /ana/, close: () => page.getByRole('button', { name: en.word.close }).click(), but: 'the-token' }
  },
  'features/profiles/profiles-panel.vue': async () => {
    await mounted(ProfilesPanel, { path: '/settings/profiles', profiles: [local!, hosted!] })
    await page.getByRole('button', { name: `${settings.edit}: ${hosted!.name}` }).click()
    return { says: new RegExp(`${hosted!.name}.*${settings.appSecret}`), close: escape }
  },
  'features/recordings/file-player.vue': async () => {
    const file = ref<ReturnType<typeof recordedFile> | null>(recordedFile(2))
    const part = {
      render: () =>
        h(FilePlayer, {
          open: file.value !== null,
          'onUpdate:open': () => (file.value = null),
          profileId: 'local',
          file: file.value,
          from: 0,
        }),
    }
    await mounted(part, {
      answers: { 'recordings.ticket': () => ({ path: '/media/none.mp4' }), 'rooms.linked': () => ({ roomid: null }) },
    })
    return { says: /MP4 · 00:30:00/, close: () => (file.value = null) }
  },
  'features/rooms/recording-position.vue': async () => {
    const { pinia } = await mountedRoom(withProps(RecordingPosition, { here: false }), {
      answers: { 'rooms.second': () => ({ found: 'unlinked' }) },
    })
    useRoomPanel(pinia).second = {
      msgid: '11',
      at: began,
      from: 'ana',
      nick: 'ana',
      text: 'look',
      notice: null,
      removed: null,
    }
    return { says: /16:00:00.*2026-11-26.*\w/, close: escape }
  },
  'features/share/share-links.vue': async () => {
    await mounted(ShareSheet, {
      props: { on: { profileId: 'local', cid: one.cid }, name: one.name, open: true },
      channels: [one],
      answers: {
        ...sheetAnswers({ links: [{ linkId: 1, name: 'Mum', ending: 'x7Qz', created: began, viewers: 0 }] }),
        'access.linkAddress': () => ({ url: 'https://live.example.com/watch/1' }),
      },
    })
    await page.getByRole('button', { name: share.named.qr.replace('{name}', 'Mum') }).click()
    return { says: /^Mum/, close: escape }
  },
}
/** Dialogs with words of their own, or about what stays: they are open by a switch. */
const switched = [
  'features/broadcasts/ids-dialog.vue',
  'ui/confirm-dialog.vue',
  'ui/form-dialog.vue',
  'features/channels/batch-outcome.vue',
  'features/frame/command-palette.vue',
  'features/frame/service-log.vue',
  'features/keys/page-keys-help.vue',
  'features/messaging/act-as.vue',
  'features/obs/obs-card.vue',
  'features/rooms/channel-room.vue',
  'features/rooms/room-keys-help.vue',
  'features/share/share-sheet.vue',
  'features/studio/go-live-panel.vue',
  'features/studio/recording-card.vue',
  'features/this-computer/folder-choice.vue',
  'features/this-computer/import-plan.vue',
]

it('each dialog is known here', () => {
  const sources = import.meta.glob<string>(['../ui/*.vue', '../features/**/*.vue'], {
    query: '?raw',
    import: 'default',
    eager: true,
  })
  const found = Object.entries(sources).flatMap(([path, source]) =>
    source.includes('<UModal') ? [path.replace(/^\.\//, 'ui/').replace(/^\.\.\//, '')] : [],
  )
  expect(found.toSorted()).toEqual([...Object.keys(dialogs), ...switched].toSorted())
})

it.each(Object.entries(dialogs))('keeps its words while it fades: %s', async (_file, open) => {
  const { says, close, but = '' } = await open()
  const dialog = page.getByRole('dialog').last()
  await expect.element(dialog).toMatchTextContent(says)
  const text = (): string => (dialog.element().textContent ?? '').replace(but, '').replace('••••••••', '')
  const before = text()
  fadeSlowly()
  await close()
  await expect.element(dialog).toHaveAttribute('data-state', 'closed')
  expect(text()).toBe(before)
  if (but !== '') expect(document.body.textContent).not.toContain(but)
})
