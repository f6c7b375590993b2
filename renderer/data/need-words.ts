import type { InjectionKey } from 'vue'

/** Loads words of a screen that may not be open. */
export const needWordsKey: InjectionKey<(groups: readonly 'share'[]) => Promise<void>> = Symbol('needWords')
