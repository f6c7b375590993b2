import type { DropdownMenuItem } from '@nuxt/ui'
import { computed } from 'vue'

/** After this time an item acts though its menu did not say that it has closed, in ms. */
const patience = 1_000

/** A menu whose items act once it has closed and its button has the focus: a dialog that they open gives it back there. */
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
    /** The items, which only note what was chosen. */
    items: computed(() => given().map((group) => group.map(noting))),
    /** For `content` of the menu. */
    onCloseAutoFocus: (): void => {
      // The menu gives the focus back in a timer that it starts after this event.
      setTimeout(() => setTimeout(act))
    },
  }
}
