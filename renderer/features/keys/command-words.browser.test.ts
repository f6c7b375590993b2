import { expect, it } from 'vitest'
import { h } from 'vue'
import { spoken } from '../../format/languages.ts'
import { mounted, type MountOptions } from '../../testing/mounted.ts'
import { moderatorWords } from '../remote-rooms/words-seat.ts'
import { commandGroups, useCommandWords } from './command-words.ts'
import KeyCap from './key-cap.vue'
import { commandNames, type CommandName } from './room-commands.ts'

const { command: words } = spoken(moderatorWords, 'en').moderator
const named = async (options: MountOptions = {}): Promise<(name: CommandName) => string> => {
  let say: ((name: CommandName) => string) | undefined
  const part = {
    setup: () => {
      say = useCommandWords()
      return () => null
    },
  }
  await mounted(part, options)
  return say!
}

it('every command stands in one group of the list, once', () => {
  expect(commandGroups.flatMap(({ commands }) => commands).toSorted()).toEqual([...commandNames].toSorted())
  expect(commandGroups.map(({ name }) => name)).toEqual(['move', 'moderate', 'room'])
})

it('a preset is named by its own length, and said to be none where it is not set', async () => {
  const say = await named({ settings: { mutePresets: [60, 600] } })
  expect([say('preset1'), say('preset2'), say('preset3')]).toEqual([
    words.preset.replace('{time}', '1 min'),
    words.preset.replace('{time}', '10 min'),
    words.presetNone.replace('{n}', '3'),
  ])
  expect(say('mute')).toBe(words.mute)
})

it('a key cap has the first key of its command, as it is set, and is not read out', async () => {
  await mounted(
    { render: () => [h(KeyCap, { command: 'up' }), h(KeyCap, { command: 'mute' })] },
    { settings: { roomKeys: { mute: ['n'] } } },
  )
  const caps = [...document.querySelectorAll('kbd')]
  expect(caps.map(({ textContent }) => textContent)).toEqual(['↑', 'N'])
  expect(caps.map((cap) => cap.getAttribute('aria-hidden'))).toEqual(['true', 'true'])
})
