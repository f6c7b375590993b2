import type { DropdownMenuItem } from '@nuxt/ui'
import { computed, type ComputedRef } from 'vue'

/** A menu whose items act once it has closed and its button has the focus again: a dialog that they open gives it back there. */
export interface AfterMenu {
  /** The items, which only note what was chosen. */
  readonly items: ComputedRef<DropdownMenuItem[][]>
  /** For `content` of the menu. */
  readonly onCloseAutoFocus: () => void
}

/** Makes such a menu of the items that are given at any time. */
export function useAfterMenu(given: () => readonly (readonly DropdownMenuItem[])[]): AfterMenu {
  let chosen: (() => void) | undefined
  const noting = ({ onSelect, ...item }: DropdownMenuItem): DropdownMenuItem => ({
    ...item,
    ...(onSelect && {
      onSelect: (event: Event) => {
        chosen = () => onSelect(event)
      },
    }),
  })
  return {
    items: computed(() => given().map((group) => group.map(noting))),
    onCloseAutoFocus: () => {
      const act = chosen
      chosen = undefined
      // The menu gives the focus back in a timer that it starts after this event.
      if (act) setTimeout(() => setTimeout(act))
    },
  }
}
