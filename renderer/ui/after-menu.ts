import type { DropdownMenuItem } from '@nuxt/ui'
import { computed } from 'vue'

/** For menus that do not report their closing, in ms. */
const patience = 1_000

/** Items act once the menu's button has the focus, so that their dialogs return it there. */
export function useAfterMenu(given: () => readonly (readonly DropdownMenuItem[])[]) {
  let chosen: (() => void) | undefined
  let waiting: ReturnType<typeof setTimeout> | undefined
  const act = (): void => {
    clearTimeout(waiting)
    const choice = chosen
    chosen = undefined
    choice?.()
  }
  const noting = ({ onSelect, ...item }: DropdownMenuItem): DropdownMenuItem => ({
    ...item,
    ...(onSelect && {
      onSelect: (event: Event) => {
        chosen = () => onSelect(event)
        clearTimeout(waiting)
        waiting = setTimeout(act, patience)
      },
    }),
  })
  return {
    items: computed(() => given().map((group) => group.map(noting))),
    onCloseAutoFocus: (): void => {
      // The menu moves the focus in a timer that it starts after this event.
      setTimeout(() => setTimeout(act))
    },
  }
}
