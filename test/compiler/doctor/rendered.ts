import { type AuthReport, DOCTOR_RENDERERS } from '../../../compiler/doctor/index.ts';

export function renderText(report: AuthReport): string {
  return DOCTOR_RENDERERS.text(report);
}
