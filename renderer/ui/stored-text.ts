import { ref, watch, type Ref } from 'vue'

/** The text of a field whose value is stored by the service. */
export interface StoredText {
  readonly text: Ref<string>
  /** Shows what is stored, unless the text is no longer the one that was sent. */
  take(sent: string): void
}

/** Makes it. What a person types is kept while the stored value changes. */
export function useStoredText(stored: () => string): StoredText {
  const text = ref(stored())
  watch(stored, (now, before) => {
    if (text.value === before) text.value = now
  })
  return {
    text,
    take(sent) {
      if (text.value === sent) text.value = stored()
    },
  }
}

/** Runs `save`; when it succeeded, the fields show what was stored, but for what was typed meanwhile. */
export async function saveTexts(fields: readonly StoredText[], save: () => Promise<boolean>): Promise<boolean> {
  const sent = fields.map(({ text }) => text.value)
  const isSaved = await save()
  if (isSaved) for (const [n, field] of fields.entries()) field.take(sent[n]!)
  return isSaved
}
