import { useI18n } from 'vue-i18n'
import type { CommandName } from './room-commands.ts'
import { useRoomSettings } from './room-settings.ts'
import { useSpanWords } from '../../ui/span-words.ts'

/** Commands in the groups of lists. */
export const commandGroups: readonly {
  readonly name: 'move' | 'moderate' | 'room'
  readonly commands: readonly CommandName[]
}[] = [
  {
    name: 'move',
    commands: ['up', 'down', 'first', 'last', 'card', 'close', 'freeze', 'search', 'composer', 'second'],
  },
  {
    name: 'moderate',
    commands: ['mute', 'preset1', 'preset2', 'preset3', 'preset4', 'preset5', 'preset6', 'blacklist', 'remove'],
  },
  { name: 'room', commands: ['panic', 'lift', 'take', 'announcement', 'popOut', 'help'] },
]

/** Names commands; a preset by its length. */
export function useCommandWords(): (name: CommandName) => string {
  const { t } = useI18n()
  const settings = useRoomSettings()
  const spans = useSpanWords()
  return (name) => {
    if (!name.startsWith('preset')) return t(`moderator.command.${name}`)
    const n = Number(name.at(-1))
    const seconds = settings.presets[n - 1]
    return seconds === undefined
      ? t('moderator.command.presetNone', { n })
      : t('moderator.command.preset', { time: spans.length(seconds) })
  }
}
