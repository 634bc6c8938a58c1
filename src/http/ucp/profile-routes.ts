// Where platforms look for the profile of the merchant that takes UCP carts: at the root of its origin.
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../errors.ts'
import { keepsCarts, PROFILE_PATH } from '../../merchant/merchant.ts'
import { businessProfile } from '../../ucp/business-profile.ts'
import { OLDER, type UcpVersion } from '../../ucp/versions.ts'
import type { RouteContext } from '../transfer-record.ts'

/** In seconds, as long as a platform may go by an old profile. */
const MAX_AGE = 3600

/** @param contexts of all merchants, one of which takes such carts at least */
export async function profileRoutes(app: FastifyInstance, { contexts }: { contexts: RouteContext[] }): Promise<void> {
  const all = contexts.filter(({ merchant }) => keepsCarts(merchant))
  const answer = (version?: UcpVersion) => async (request: FastifyRequest, reply: FastifyReply) => {
    const isMeant = ({ origin }: RouteContext) => new URL(origin()).host === request.host
    // A proxy may have changed the host; but that of another merchant is meant.
    const context = all.find(isMeant) ?? (all.length === 1 && !contexts.some(isMeant) ? all[0] : undefined)
    if (!context) throw notFound()
    const body = JSON.stringify(profileOf(context, version))
    const etag = `"${hash('sha256', body)}"`
    reply.headers({ 'Cache-Control': `public, max-age=${MAX_AGE}`, ETag: etag })
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    return reply.type('application/json').send(body)
  }
  app.get(PROFILE_PATH, answer())
  for (const version of OLDER) app.get(`${PROFILE_PATH}/${version}`, answer(version))
}

function profileOf({ merchant, origin }: RouteContext, version: UcpVersion | undefined): object {
  const addressOf = (isMeant: (way: (typeof merchant.ways)[number]) => boolean) => {
    const way = merchant.ways.find(isMeant)
    return way && origin() + merchant.path + way.transfer.path
  }
  const endpoint = addressOf(({ option }) => option.answer === 'protocol') as string
  const permalink = addressOf(({ option }) => option.name === 'permalink')
  return businessProfile({ profile: origin() + PROFILE_PATH, endpoint, permalink }, version)
}
