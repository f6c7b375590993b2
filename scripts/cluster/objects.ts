import { swiftAccessKey, type SwiftPorts } from '../../e2e/cluster/swift.ts'
import { makeBucket } from '../../service/testing/s3-bucket.ts'
import { swiftServers } from './engines.ts'
import type { Program, Running } from './kept-process.ts'
import type { openPlaces } from './places.ts'

/** Programs of the object store of a cluster. */
export type ObjectEngine = 'memcached' | 'swift-account' | 'swift-container' | 'swift-object' | 'swift-proxy'
/** All of them. */
export const swiftNames: ObjectEngine[] = [
  'memcached',
  'swift-account',
  'swift-container',
  'swift-object',
  'swift-proxy',
]

const bucket = 'sidestage'
const region = 'us-east-1'

/** Ports and password of the object store of a cluster, which is started later. */
export async function openObjects(places: ReturnType<typeof openPlaces>) {
  const of = (name: keyof SwiftPorts): Promise<number> => places.port(`swift.${name}`)
  const ports: SwiftPorts = {
    account: await of('account'),
    container: await of('container'),
    object: await of('object'),
    proxy: await of('proxy'),
    cache: await of('cache'),
  }
  const place = {
    endpoint: `http://127.0.0.1:${ports.proxy}`,
    bucket,
    region,
    accessKey: swiftAccessKey,
    secretKey: places.password('swift'),
  }
  return {
    /** Starts it, with the bucket of the nodes; `keep` runs a program. */
    async start(folder: string, keep: (program: Program<void>) => Promise<{ readonly running: Running }>) {
      const started = await Promise.allSettled(
        (await swiftServers(folder, ports, place.secretKey)).map(
          async (program) => [program.name, { ...(await keep(program)).running, port: program.port }] as const,
        ),
      )
      const engines = started.map((each) => {
        if (each.status === 'rejected') throw each.reason
        return each.value
      })
      await makeBucket({ ...place, prefix: '', isPathStyle: true })
      return {
        engines: Object.fromEntries(engines) as Record<ObjectEngine, Running & { readonly port: number }>,
        /** What nodes are told of it. */
        env: {
          SIDESTAGE_S3_ENDPOINT: place.endpoint,
          SIDESTAGE_S3_BUCKET: bucket,
          SIDESTAGE_S3_REGION: region,
          SIDESTAGE_S3_ACCESS_KEY: place.accessKey,
          SIDESTAGE_S3_SECRET_KEY: place.secretKey,
        },
      }
    },
  }
}
