/** A package that ships, as licences.json of the built page names it. */
export interface ShippedPackage {
  readonly name: string
  readonly version: string
  readonly licence: string | null
}

/** What of package-lock.json is read: each place with its version, its digest, and the package's own name where it stands under another. */
export type LockedPackages = Readonly<
  Record<string, { readonly name?: string; readonly version?: string; readonly integrity?: string }>
>

const nameOf = (place: string, entry: { readonly name?: string }): string =>
  entry.name ?? place.slice(place.lastIndexOf('node_modules/') + 13)
const purl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** A licence as CycloneDX wants it: one of SPDX by its id, else as an expression or a name. */
function licenceOf(licence: string | null): object[] {
  if (licence === null) return []
  if (/^[A-Za-z0-9.+-]+$/.test(licence)) return [{ license: { id: licence } }]
  return /\b(AND|OR|WITH)\b/.test(licence) ? [{ expression: licence }] : [{ license: { name: licence } }]
}

/** Contents of a release as a CycloneDX 1.5 bill of materials. Throws for what is not locked by a digest. */
export function billOf(
  app: { readonly name: string; readonly version: string },
  shipped: readonly ShippedPackage[],
  locked: LockedPackages,
): object {
  const digests = new Map<string, string>()
  for (const [place, entry] of Object.entries(locked))
    if (place !== '' && entry.version !== undefined && entry.integrity !== undefined)
      digests.set(`${nameOf(place, entry)}@${entry.version}`, entry.integrity)
  const components = shipped.map(({ name, version, licence }) => {
    const digest = /^sha512-([A-Za-z0-9+/]{86}==)$/.exec(digests.get(`${name}@${version}`) ?? '')?.[1]
    if (digest === undefined) throw new Error(`${name} ${version} ships and is not locked by a SHA-512 digest`)
    return {
      type: 'library',
      'bom-ref': purl(name, version),
      name,
      version,
      purl: purl(name, version),
      hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
      licenses: licenceOf(licence),
    }
  })
  const { name, version } = app
  const root = { type: 'application', 'bom-ref': purl(name, version), name, version, purl: purl(name, version) }
  return { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component: root }, components }
}
