/** A package that ships with the app. */
export interface LicensedPackage {
  readonly name: string
  readonly version: string
  readonly licence: string | null
  readonly text: string | null
}

interface Written {
  readonly packages: readonly (Omit<LicensedPackage, 'text'> & { readonly text: number | null })[]
  readonly texts: readonly string[]
}

/** From the build; rejects if the list is missing. */
export async function readLicences(get: (path: string) => Promise<Response>): Promise<readonly LicensedPackage[]> {
  const answer = await get('licences.json')
  if (!answer.ok) throw new Error(`the list of licences answered ${answer.status}`)
  const { packages, texts } = (await answer.json()) as Written
  return packages.map((one) => ({ ...one, text: one.text === null ? null : (texts[one.text] ?? null) }))
}

/** Packages whose name or licence contains all words. */
export function findLicences(all: readonly LicensedPackage[], query: string): readonly LicensedPackage[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter(({ name, licence }) =>
    words.every((word) => `${name} ${licence ?? ''}`.toLowerCase().includes(word)),
  )
}
