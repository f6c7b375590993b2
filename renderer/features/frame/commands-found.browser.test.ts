import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { spoken, type Language } from '../../format/languages.ts'
import { makeHold } from '../../testing/fake-hold.ts'
import { makeObs } from '../../testing/fake-obs.ts'
import { began, channel, mounted, settled, starting, tally, type MountOptions } from '../../testing/mounted.ts'
import { allWords } from '../../locales/messages.ts'
import { useChannels } from '../channels/channels.ts'
import { pageKeyNames, type PageKey } from '../keys/page-keys.ts'
import { commandNames } from '../keys/room-commands.ts'
import { sectionLabels } from '../settings/section-labels.ts'
import { settingsGroups, type SettingsSection } from '../settings/sections.ts'
import CommandPalette from './command-palette.vue'
import { commands, places, type PaletteCommand } from './commands.ts'

const spokenBy = { en: spoken(allWords, 'en'), zh: spoken(allWords, 'zh') }
const live = channel(1, { status: 3, needRecord: true })
const held: AppEvent = {
  type: 'hold',
  profileId: 'local',
  cid: live.cid,
  at: began,
  hold: makeHold({ delaySeconds: 10, delayed: 10_000 }),
}
const byHand: AppEvent = { ...held, hold: makeHold({ holding: true, byHand: true }) }

const show = async (language: Language, options: MountOptions = {}) => {
  const on = options.channels?.[0] ?? live
  const at = await mounted(
    { render: () => h(CommandPalette, { open: true }) },
    { language, channels: [on], tallies: [tally(on)], events: [held], about: { shell: 'electron' }, ...options },
  )
  useChannels(at.pinia).open(on.cid)
  return at
}
/** Types a query, and waits until the list is that of it. */
const type = async (query: string): Promise<void> => {
  await page.getByRole('textbox').or(page.getByRole('combobox')).first().fill(query)
  await settled()
}
const option = (label: string) => page.getByRole('option', { name: starting(label) })
const labelOf = (language: Language, name: PaletteCommand): string => spokenBy[language].palette[name]
/** Types each query and looks whether the entry of that label is among what is found. */
const finds = async (wanted: readonly (readonly [query: string, label: string])[]): Promise<void> => {
  for (const [query, label] of wanted) {
    await type(query)
    await expect.element(option(label).first(), { message: `“${query}” finds “${label}”` }).toBeVisible()
  }
}
const languages: readonly Language[] = ['en', 'zh']

/** Commands that are there in another state of the channel or of OBS only. */
const elsewhere: Readonly<Partial<Record<PaletteCommand, MountOptions>>> = {
  record: { channels: [channel(1, { status: 1 })] },
  resume: { channels: [channel(1, { status: 2 })] },
  backLive: { events: [byHand] },
  obsGoLive: { events: [{ type: 'obs', obs: makeObs('idle', began) }] },
  obsStop: { events: [{ type: 'obs', obs: makeObs('live', began) }] },
}

describe.each(languages)('every command is found by its own name, %s', (language) => {
  it('where it is usually there', async () => {
    await show(language)
    const usual = (Object.keys(commands) as PaletteCommand[]).filter((name) => !(name in elsewhere))
    await finds(usual.map((name) => [labelOf(language, name), labelOf(language, name)]))
  })

  it.each(Object.entries(elsewhere))('in its state: %s', async (name, options) => {
    await show(language, options)
    const label = labelOf(language, name as PaletteCommand)
    await finds([[label, label]])
  })
})

/** What people type, and what they mean by it. */
const typed: readonly (readonly [query: string, PaletteCommand | `settings/${SettingsSection}`])[] = [
  ['copy key', 'copyKey'],
  ['stream key', 'copyKey'],
  ['密钥', 'copyKey'],
  ['mark', 'mark'],
  ['标记', 'mark'],
  ['clip', 'clip'],
  ['剪辑', 'clip'],
  ['go-live', 'goLive'],
  ['go live', 'goLive'],
  ['开播', 'goLive'],
  ['theme', 'toggleTheme'],
  ['dark', 'toggleTheme'],
  ['light', 'settings/appearance'],
  ['深色', 'toggleTheme'],
  ['language', 'toggleLanguage'],
  ['中文', 'toggleLanguage'],
  ['obs', 'obsConnection'],
  ['record', 'recordOff'],
  ['录制', 'recordOff'],
  ['mute', 'muteRoom'],
  ['禁言', 'muteRoom'],
  ['unmute', 'liftRoom'],
  ['qr', 'share'],
  ['二维码', 'share'],
  ['share', 'share'],
  ['分享', 'copyLink'],
  ['delay', 'delayForm'],
  ['延迟', 'delayForm'],
  ['twitch', 'targets'],
  ['rename', 'rename'],
  ['delete', 'remove'],
  ['shortcuts', 'help'],
  ['hotkeys', 'settings/keys'],
  ['port', 'settings/computer'],
  ['disk', 'settings/computer'],
  ['webhook', 'settings/receivers'],
  ['notifications', 'settings/desktop'],
  ['mp4', 'settings/recordings'],
  ['invite', 'settings/moderators'],
]
describe.each(languages)('by the words that people use, whatever the language of the app: %s', (language) => {
  it('each of them', async () => {
    await show(language)
    const { section } = spokenBy[language].palette
    await finds(
      typed.map(([query, name]) => [
        query,
        name.startsWith('settings/')
          ? section[name.slice('settings/'.length) as SettingsSection]
          : labelOf(language, name as PaletteCommand),
      ]),
    )
  })
})

describe.each(languages)('what has a key or stands in a menu or in the settings is found, %s', (language) => {
  const words = spokenBy[language]

  it('each key of the page', async () => {
    const { channels, recordings } = words.palette.screen
    /** By the places that its words name, in their order. */
    const of: Readonly<Record<PageKey, readonly string[]>> = {
      // It is what one is in.
      palette: [],
      create: [words.palette.create],
      search: [channels, recordings],
      mark: [words.palette.mark],
      clip: [words.palette.clip],
      copyKey: [words.palette.copyKey],
      copyLink: [words.palette.copyLink],
      goLive: [words.palette.goLive],
      // They are about what has the focus, or is looked at.
      trim: [],
      zoomIn: [],
      zoomOut: [],
      help: [words.palette.help],
    }
    await show(language)
    await finds(
      pageKeyNames.flatMap((name) => {
        const [does = '', places = ''] = words.keys.page[name].split(/[（(）)]/)
        return of[name].map((label, index) => [`${does} ${places.split(/, |、/)[index] ?? ''}`.trim(), label] as const)
      }),
    )
  })

  it('each key of the Room, with its key beside it', async () => {
    await show(language)
    const named = commandNames.filter((name) => !name.startsWith('preset'))
    const { command } = words.moderator
    await finds(
      named.map((name) => {
        const label = command[name as keyof typeof command]
        return [label, label] as const
      }),
    )
    await type(command.remove)
    await expect
      .poll(() =>
        option(command.remove)
          .elements()
          .map((each) => each.querySelector('kbd')?.textContent?.trim()),
      )
      .toContain('D')
  })

  it('each entry of the menu of a channel', async () => {
    const menu: readonly (readonly [string, string])[] = [
      [words.word.rename, words.palette.rename],
      [words.word.disableAsk, words.palette.disable],
      [words.word.removeAsk, words.palette.remove],
      [words.channels.copyId, words.palette.copyId],
    ]
    await show(language)
    await finds(menu.map(([query, label]) => [query.replace('…', ''), label] as const))
  })

  it('each section of the settings, by its name and by that of its group', async () => {
    await show(language)
    const titles: Readonly<Record<string, string>> = {
      'settings.profiles': words.settings.profiles,
      'settings.appearance': words.settings.appearance,
      'retention.section': words.retention.section,
      'moderator.section': words.moderator.section,
      'moderator.keys.section': words.moderator.keys.section,
      'seats.section': words.seats.section,
      'desktop.section': words.desktop.section,
      'computer.section': words.computer.section,
      'supportBundle.section': words.supportBundle.section,
      'about.section': words.about.section,
      'receiver.section': words.receiver.section,
      'copies.section': words.copies.section,
    }
    const sections = settingsGroups.flatMap(({ name, sections: all }) =>
      all.flatMap((each): (readonly [string, string])[] => [
        [titles[sectionLabels[each.name]] ?? '', words.palette.section[each.name]],
        [words.settings.group[name], words.palette.section[each.name]],
      ]),
    )
    expect(sections).toHaveLength(24)
    await finds(sections)
  })

  it('each card of the settings of this computer', async () => {
    await show(language)
    const { folder, ports, zone, secrets, aside, file } = words.computer
    await finds(
      [folder, ports, zone, secrets, aside, file].map(({ title }) => [title, words.palette.section.computer] as const),
    )
  })

  it('each screen', async () => {
    await show(language)
    await finds(places.screens.map(({ name }) => [words.palette.screen[name], words.palette.screen[name]] as const))
  })
})
