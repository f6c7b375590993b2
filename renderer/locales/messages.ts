import type { en } from './en.ts'

type Shape<T> = { readonly [K in keyof T]: T[K] extends string ? string : Shape<T[K]> }

/** The keys that every language has. */
export type Messages = Shape<typeof en>
/** Languages of the interface. */
export type Language = 'en' | 'zh'
